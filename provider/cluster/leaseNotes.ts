import { consentAnnotationPrefix, leaseAnnotations } from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import type { Approvals, ApprovalWait, Consent } from "../lifecycle/vocabulary/approvals";
import type { ClusterOwner, MemberNotes } from "../lifecycle/vocabulary/ownership";
import type { KubernetesApi } from "./kubernetesApi";

export { ClusterLock } from "./clusterLock";
export { type LeaseView, readLease } from "./leaseView";

/** Writes annotations of the Lease for its holder, `ClusterLock`. Fails if another run has taken the lock meanwhile. */
export interface LeaseWriter {
    annotate(annotations: Record<string, string | null>): Promise<void>;
}

/** Records which PD belongs to the cluster. */
export function notePd(lease: LeaseWriter, clusterId: string): Promise<void> {
    return lease.annotate({ [leaseAnnotations.pdClusterId]: clusterId });
}

/** Records which TidbCluster of which stack operates the cluster; removes the record if undefined. */
export function noteOwner(lease: LeaseWriter, owner: ClusterOwner | undefined): Promise<void> {
    return lease.annotate({ [leaseAnnotations.owner]: owner ? JSON.stringify(owner) : null });
}

/** Records which members the program has; removes the record if undefined. */
export function noteMembers(lease: LeaseWriter, members: MemberNotes | undefined): Promise<void> {
    return lease.annotate({ [leaseAnnotations.members]: members ? JSON.stringify(members) : null });
}

/**
 * Takes a consent, so it is used once, and notes the goal of what it lets through.
 * @param digests the consent, and others that no longer count.
 */
export function takeConsent(lease: LeaseWriter, digests: readonly string[], goals: Approvals["goals"]): Promise<void> {
    return lease.annotate({
        ...Object.fromEntries(digests.map((digest) => [`${consentAnnotationPrefix}${digest}`, null])),
        [leaseAnnotations.approvalGoals]: JSON.stringify(goals),
        [leaseAnnotations.approvalWait]: null,
    });
}

/** Notes what a run without the lock waits for a person's consent to; removes the note if undefined. */
export async function noteApprovalWait(
    api: Pick<KubernetesApi, "patchLease">,
    namespace: string,
    cluster: string,
    wait: ApprovalWait | undefined,
): Promise<void> {
    const annotations = { [leaseAnnotations.approvalWait]: wait ? JSON.stringify(wait) : null };
    await api.patchLease(namespace, leaseName(cluster), { metadata: { annotations } });
}

/** Records a person's consent to the plan with this digest. A run uses it for this plan only. */
export async function recordConsent(
    api: Pick<KubernetesApi, "patchLease">,
    namespace: string,
    cluster: string,
    digest: string,
    consent: Consent,
): Promise<void> {
    const annotations = { [`${consentAnnotationPrefix}${digest}`]: JSON.stringify(consent) };
    await api.patchLease(namespace, leaseName(cluster), { metadata: { annotations } });
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
