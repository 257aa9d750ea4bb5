import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { leaseAnnotations } from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import type { Approvals, ApprovalWait } from "../lifecycle/vocabulary/approvals";
import type { ObservedLock } from "../lifecycle/vocabulary/lock";
import { noRecords, type OperationRecords } from "../lifecycle/vocabulary/observation";
import type { ClusterOwner, MemberNotes } from "../lifecycle/vocabulary/ownership";
import type { StopRequest } from "../lifecycle/vocabulary/stopRequest";
import { consentsOf, waitsOf } from "./leaseConsents";

/** The cluster's Lease as gates see it: proof of the right cluster, the lock, and the records that survive a crash. */
export interface LeaseView {
    uid: string;
    resourceVersion: string;
    lock: ObservedLock;
    records: OperationRecords;
    /** The last request to stop, also if the run that was asked has ended. */
    stopRequest?: StopRequest;
    /** Cluster id of the PD that has the cluster's data: recorded at the end of the first deployment. */
    pdClusterId?: string;
    /** Who deploys the cluster; undefined if an earlier version of this package deployed it. */
    owner?: ClusterOwner;
    /** `spec.clusterDomain` of the last update; empty for none. Undefined if an earlier version of this package deployed the cluster. */
    domain?: string;
    /** The output `sqlEndpoint` of the last update; empty for none. Undefined if an earlier version of this package deployed the cluster. */
    sqlEndpoint?: string;
    /** Undefined if an earlier version of this package deployed the cluster. */
    members?: MemberNotes;
    /** Whether the last update that passed the cluster's first gate paused the cluster (`spec.paused`). Default: it did not. */
    isPaused?: true;
    /** Whether a Backup whose data are to be deleted has left the program. Default: none has. */
    hasLeftBackups?: true;
    /** Until when the cluster may be destroyed without a last backup, by a person's word. Default: it may not. */
    withoutLastBackup?: string;
    /** What people have consented to. Undefined if nobody ever has. */
    approvals?: Approvals;
    /** What runs wait for a person's consent to, by annotation; they may have been killed since. Default: none does. */
    approvalWaits?: Readonly<Record<string, ApprovalWait>>;
    /** Which of those cannot be read, and what to do. Default: none. */
    waitsProblem?: string;
    /** When it was read, by the API server's clock, in milliseconds since 1970. Default: not known. */
    asOf?: number;
}

/** The call that reads a Lease; `undefined` if there is none. */
export interface LeaseReads {
    readLease(namespace: string, name: string): Promise<V1Lease | undefined>;
    serverNow?(): number | undefined;
}

/**
 * Reads the Lease; `undefined` if there is none.
 * @throws Error if an annotation that this package reads is not a JSON object.
 */
export async function readLease(api: LeaseReads, namespace: string, cluster: string): Promise<LeaseView | undefined> {
    const lease = await api.readLease(namespace, leaseName(cluster));
    const asOf = api.serverNow?.();
    return lease && { ...viewLease(lease), ...(asOf === undefined ? {} : { asOf }) };
}

/** @returns what gates need of a Lease. @throws Error if an annotation that this package reads is not a JSON object. */
export function viewLease(lease: V1Lease): LeaseView {
    const annotations = lease.metadata?.annotations ?? {};
    const {
        clusterDomain,
        records,
        operation,
        stop,
        stopOf,
        pdClusterId,
        owner,
        members,
        approvalGoals,
        paused,
        leftBackups,
        sqlEndpoint,
    } = leaseAnnotations;
    const withoutLastBackup = annotations[leaseAnnotations.withoutLastBackup];
    const { name = "", namespace = "" } = lease.metadata ?? {};
    const read = <T extends object>(annotation: string, next?: string) =>
        readAnnotation<T>(name, annotation, annotations[annotation], next);
    const removes = (annotation: string) =>
        `\`kubectl annotate lease ${name} --namespace ${namespace} ${annotation}-\` removes it`;
    return {
        uid: lease.metadata?.uid ?? "",
        resourceVersion: lease.metadata?.resourceVersion ?? "",
        lock: {
            holder: lease.spec?.holderIdentity || undefined,
            acquiredAt: timeOf(lease.spec?.acquireTime),
            renewedAt: timeOf(lease.spec?.renewTime),
            durationSeconds: lease.spec?.leaseDurationSeconds,
            operation: annotations[operation],
        },
        stopRequest: annotations[stop] ? { by: annotations[stop], of: annotations[stopOf] } : undefined,
        pdClusterId: annotations[pdClusterId],
        owner: read<ClusterOwner>(owner),
        ...(annotations[clusterDomain] === undefined ? {} : { domain: annotations[clusterDomain] }),
        ...(annotations[sqlEndpoint] === undefined ? {} : { sqlEndpoint: annotations[sqlEndpoint] }),
        members: read<MemberNotes>(members),
        ...(annotations[paused] === undefined ? {} : { isPaused: true }),
        ...(annotations[leftBackups] === undefined ? {} : { hasLeftBackups: true }),
        ...(withoutLastBackup === undefined ? {} : { withoutLastBackup }),
        records: { ...noRecords(), ...read<OperationRecords>(records) },
        ...consentsOf(annotations, read<Approvals["goals"]>(approvalGoals), read, removes),
        ...waitsOf(annotations, read, removes),
    };
}

function timeOf(time: Date | string | undefined): number | undefined {
    return time ? new Date(time).getTime() : undefined;
}

function readAnnotation<T extends object>(
    lease: string,
    annotation: string,
    text: string | undefined,
    next = "Restore the original text before anything is done",
): T | undefined {
    if (!text) {
        return undefined;
    }
    const expected = `expected a JSON object, as pulumi-tidb writes it. ${next}`;
    let value: unknown;
    try {
        value = JSON.parse(text);
    } catch (error) {
        const why = (error as Error).message;
        throw new Error(`annotation ${annotation} of Lease ${lease} is invalid JSON (${why}): ${expected}`, {
            cause: error,
        });
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw new Error(`annotation ${annotation} of Lease ${lease} holds ${text.slice(0, 80)}: ${expected}`);
    }
    return value as T;
}
