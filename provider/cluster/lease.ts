import { leaseAnnotations } from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import type { ClusterOwner, MemberNotes } from "../lifecycle/vocabulary/ownership";
import type { KubernetesApi } from "./kubernetesApi";

export { ClusterLock } from "./clusterLock";
export { type LeaseView, readLease } from "./leaseView";

/** Writes annotations of the Lease, for its holder: `ClusterLock`, which loses to whoever took the lock meanwhile. */
export interface LeaseWriter {
    annotate(annotations: Record<string, string | null>): Promise<void>;
}

/** Notes which PD the cluster's is. */
export function notePd(lease: LeaseWriter, clusterId: string): Promise<void> {
    return lease.annotate({ [leaseAnnotations.pdClusterId]: clusterId });
}

/** Notes which TidbCluster of which stack operates the cluster; nobody where undefined. */
export function noteOwner(lease: LeaseWriter, owner: ClusterOwner | undefined): Promise<void> {
    return lease.annotate({ [leaseAnnotations.owner]: owner ? JSON.stringify(owner) : null });
}

/** Notes which members the program has; forgets that where undefined. */
export function noteMembers(lease: LeaseWriter, members: MemberNotes | undefined): Promise<void> {
    return lease.annotate({ [leaseAnnotations.members]: members ? JSON.stringify(members) : null });
}

/** Asks whoever operates the cluster to end at the next safe point. Seen when they next look at it. */
export async function requestStop(
    api: Pick<KubernetesApi, "patchLease">,
    namespace: string,
    cluster: string,
    requestedBy: string,
): Promise<void> {
    const annotations = { [leaseAnnotations.stop]: requestedBy };
    await api.patchLease(namespace, leaseName(cluster), { metadata: { annotations } });
}
