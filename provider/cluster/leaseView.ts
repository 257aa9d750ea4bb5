import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { consentAnnotationPrefix, leaseAnnotations } from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import type { Approvals, ApprovalWait, Consent } from "../lifecycle/vocabulary/approvals";
import type { ObservedLock } from "../lifecycle/vocabulary/lock";
import { noRecords, type OperationRecords } from "../lifecycle/vocabulary/observation";
import type { ClusterOwner, MemberNotes } from "../lifecycle/vocabulary/ownership";
import type { StopRequest } from "../lifecycle/vocabulary/stopRequest";

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
    /** Undefined if an earlier version of this package deployed the cluster. */
    members?: MemberNotes;
    /** What people have consented to. Undefined if nobody ever has. */
    approvals?: Approvals;
    /** What a run waits for a person's consent to; it may have been killed since. */
    approvalWait?: ApprovalWait;
}

/** The call that reads a Lease; `undefined` if there is none. */
export interface LeaseReads {
    readLease(namespace: string, name: string): Promise<V1Lease | undefined>;
}

/**
 * Reads the Lease; `undefined` if there is none.
 * @throws Error if an annotation that this package reads is not a JSON object.
 */
export async function readLease(api: LeaseReads, namespace: string, cluster: string): Promise<LeaseView | undefined> {
    const lease = await api.readLease(namespace, leaseName(cluster));
    return lease && viewLease(lease);
}

/** @returns what gates need of a Lease. @throws Error if an annotation that this package reads is not a JSON object. */
export function viewLease(lease: V1Lease): LeaseView {
    const annotations = lease.metadata?.annotations ?? {};
    const { records, operation, stop, stopOf, pdClusterId, owner, members, approvalWait, approvalGoals } =
        leaseAnnotations;
    const read = <T extends object>(annotation: string) =>
        readAnnotation<T>(lease.metadata?.name ?? "", annotation, annotations[annotation]);
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
        members: read<MemberNotes>(members),
        records: { ...noRecords(), ...read<OperationRecords>(records) },
        ...consentsOf(annotations, read<Approvals["goals"]>(approvalGoals), read),
        ...waitOf(read<ApprovalWait>(approvalWait)),
    };
}

function consentsOf(
    annotations: Readonly<Record<string, string>>,
    goals: Approvals["goals"] | undefined,
    read: (annotation: string) => Consent | undefined,
): Pick<LeaseView, "approvals"> {
    const given = Object.keys(annotations)
        .filter((key) => key.startsWith(consentAnnotationPrefix))
        .flatMap((key) => {
            const consent = read(key);
            return consent ? [[key.slice(consentAnnotationPrefix.length), consent] as const] : [];
        });
    return given.length === 0 && goals === undefined
        ? {}
        : { approvals: { given: Object.fromEntries(given), goals: goals ?? {} } };
}

function waitOf(approvalWait: ApprovalWait | undefined): Pick<LeaseView, "approvalWait"> {
    return approvalWait === undefined ? {} : { approvalWait };
}

function timeOf(time: Date | string | undefined): number | undefined {
    return time ? new Date(time).getTime() : undefined;
}

function readAnnotation<T extends object>(lease: string, annotation: string, text: string | undefined): T | undefined {
    if (!text) {
        return undefined;
    }
    const expected =
        "expected a JSON object, as pulumi-tidb writes it. Restore the original text before anything is done";
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
