import type { Component } from "../../topology/members";
import {
    approvalWaitAnnotationPrefix,
    consentAnnotationPrefix,
    firstRevisionAnnotationPrefix,
    leaseAnnotations,
} from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import {
    type Approvals,
    type ApprovalWait,
    type Consent,
    type FirstRevision,
    noteDeletedAfter,
} from "../lifecycle/vocabulary/approvals";
import type { ClusterOwner, MemberNotes } from "../lifecycle/vocabulary/ownership";
import { shortDigest } from "../lifecycle/vocabulary/shortDigest";
import type { KubernetesApi } from "./kubernetesApi";
import { type LeaseView, readLease } from "./leaseView";

export { ClusterLock } from "./clusterLock";
export { type LeaseView, readLease } from "./leaseView";

/** Writes annotations of the Lease for its holder, `ClusterLock`. Fails if another run has taken the lock meanwhile. */
export interface LeaseWriter {
    /** @param isStill whether the Lease that is written onto still allows it; otherwise nothing is written. Default: it does. */
    annotate(annotations: Record<string, string | null>, isStill?: (lease: LeaseView) => boolean): Promise<void>;
}

/** Records which PD belongs to the cluster. */
export function notePd(lease: LeaseWriter, clusterId: string): Promise<void> {
    return lease.annotate({ [leaseAnnotations.pdClusterId]: clusterId });
}

/**
 * Records which TidbCluster of which stack operates the cluster; removes the record if undefined.
 * @param domain `spec.clusterDomain`. Default: none. It stays on record without an owner: PD's data has it.
 * @param sqlEndpoint The output of that name. Default: the last one stays on record.
 */
export function noteOwner(
    lease: LeaseWriter,
    owner: ClusterOwner | undefined,
    domain = "",
    sqlEndpoint?: string,
): Promise<void> {
    return lease.annotate(
        owner
            ? {
                  [leaseAnnotations.owner]: JSON.stringify(owner),
                  [leaseAnnotations.clusterDomain]: domain,
                  ...(sqlEndpoint === undefined ? {} : { [leaseAnnotations.sqlEndpoint]: sqlEndpoint }),
              }
            : { [leaseAnnotations.owner]: null },
    );
}

/** Records which members the program has, and that it does not pause the cluster; removes the record if undefined. */
export function noteMembers(lease: LeaseWriter, members: MemberNotes | undefined): Promise<void> {
    return lease.annotate({
        [leaseAnnotations.members]: members ? JSON.stringify(members) : null,
        [leaseAnnotations.paused]: null,
    });
}

/** Records that the program pauses the cluster: then the controller changes nothing either. */
export function notePause(api: Pick<KubernetesApi, "patchLease">, namespace: string, cluster: string): Promise<void> {
    return noteFact(api, leaseName(cluster), namespace, leaseAnnotations.paused);
}

/** Records that Backups whose data are to be deleted have left the program: the cluster's last gate looks for their Jobs from then on. */
export function noteLeftBackups(
    api: Pick<KubernetesApi, "patchLease">,
    namespace: string,
    cluster: string,
): Promise<void> {
    return noteFact(api, leaseName(cluster), namespace, leaseAnnotations.leftBackups);
}

async function noteFact(
    api: Pick<KubernetesApi, "patchLease">,
    lease: string,
    namespace: string,
    annotation: string,
): Promise<void> {
    await api.patchLease(namespace, lease, { metadata: { annotations: { [annotation]: "true" } } });
}

/**
 * Takes a consent, so it is used once, and notes the goal of what it lets through.
 * @param digests the consent, and others that no longer count.
 * @param used the consents that were used, this one included. Undefined: what is on record stays.
 * @param needs the consent, if it must still be there: somebody may have withdrawn it. Default: this run has taken it already.
 * @throws StaleDecision if it is not there.
 */
export function takeConsent(
    lease: LeaseWriter,
    digests: readonly string[],
    goals: Approvals["goals"],
    used: Approvals["used"],
    needs?: string,
): Promise<void> {
    const annotations = {
        ...Object.fromEntries(digests.map((digest) => [`${consentAnnotationPrefix}${digest}`, null])),
        [leaseAnnotations.approvalGoals]: JSON.stringify(goals),
        ...(used === undefined ? {} : { [leaseAnnotations.usedConsents]: JSON.stringify(used) }),
    };
    return lease.annotate(annotations, ({ approvals }) => needs === undefined || approvals?.given[needs] !== undefined);
}

/** The run that waits for a person's consent, and its operation: several can wait at once. */
export type ApprovalWaiter = Pick<ApprovalWait, "by" | "of">;

/**
 * Notes what a run without the lock waits for a person's consent to; removes its note if undefined. The first note of a wait
 * also removes those that killed runs have left.
 * @param ownNow the clock of the times in the note.
 */
export async function noteApprovalWait(
    api: Pick<KubernetesApi, "readLease" | "patchLease" | "serverNow">,
    namespace: string,
    cluster: string,
    waiter: ApprovalWaiter,
    wait: Omit<ApprovalWait, "by" | "of"> | undefined,
    ownNow: () => number,
): Promise<void> {
    const key = `${approvalWaitAnnotationPrefix}${shortDigest(JSON.stringify([waiter.by, waiter.of]))}`;
    const isFirst = wait !== undefined && wait.at === wait.since;
    const lease = isFirst ? await readLease(api, namespace, cluster) : undefined;
    const later = (api.serverNow?.() ?? ownNow()) - ownNow();
    const noted = wait && { ...wait, ...waiter, since: wait.since + later, at: wait.at + later };
    const left = Object.entries(lease?.approvalWaits ?? {}).filter(
        ([, { at }]) => noted !== undefined && noted.at - at > noteDeletedAfter,
    );
    const annotations = {
        ...Object.fromEntries(left.map(([annotation]) => [annotation, null])),
        [key]: noted ? JSON.stringify(noted) : null,
    };
    await api.patchLease(namespace, leaseName(cluster), { metadata: { annotations } });
}

/** Records which revision the member's template has, for runs that resume this one. */
export async function noteFirstRevision(
    api: Pick<KubernetesApi, "patchLease">,
    namespace: string,
    cluster: string,
    component: Component,
    first: FirstRevision,
): Promise<void> {
    const annotations = { [`${firstRevisionAnnotationPrefix}${component}`]: JSON.stringify(first) };
    await api.patchLease(namespace, leaseName(cluster), { metadata: { annotations } });
}

/**
 * Records a person's consent to the plan with this digest; removes it if undefined. A run uses it for this plan only.
 *
 * @param resourceVersion of the Lease from which this was decided: a run may use an earlier consent at the same time, and that must not come back.
 * @throws KubernetesApiError with status 409 if the Lease has changed since.
 */
export async function recordConsent(
    api: Pick<KubernetesApi, "patchLease">,
    namespace: string,
    cluster: string,
    digest: string,
    consent: Consent | undefined,
    resourceVersion: string,
): Promise<void> {
    const annotations = { [`${consentAnnotationPrefix}${digest}`]: consent ? JSON.stringify(consent) : null };
    await api.patchLease(namespace, leaseName(cluster), { metadata: { annotations, resourceVersion } });
}

/**
 * Asks the run that operates the cluster to stop at its next safe point. The run sees it at its next observation. The request
 * stays on the Lease: a run that releases the lock cannot know whether all runs that it is meant for have seen it.
 * @param requestedBy who asks, unlike any earlier request.
 * @param holder who holds the lock. If nobody does, the request is meant for every run that is under way.
 */
export async function requestStop(
    api: Pick<KubernetesApi, "patchLease">,
    namespace: string,
    cluster: string,
    requestedBy: string,
    holder: string | undefined,
): Promise<void> {
    const annotations = { [leaseAnnotations.stop]: requestedBy, [leaseAnnotations.stopOf]: holder ?? null };
    await api.patchLease(namespace, leaseName(cluster), { metadata: { annotations } });
}
