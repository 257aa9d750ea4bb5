/** The key under which PD keeps its cluster's id. */
export const clusterIdKey = "/pd/cluster_id";

/** The prefix of all other keys of a cluster. */
export function clusterRoot(clusterId: bigint): string {
    return `/pd/${clusterId}/`;
}

/** A key of one cluster: its leader, the timestamp that it saved last, or the configuration of a scheduler. */
export function clusterKey(clusterId: bigint, key: "leader" | "timestamp" | `scheduler_config/${string}`): string {
    return `${clusterRoot(clusterId)}${key}`;
}

/** The shortest lease that etcd grants, given PD's election timeout of 3 s. */
const shortestLeaseSeconds = 5;

/** The duration of the lease that etcd grants when asked for the given one. */
export function grantedSeconds(askedSeconds: number): number {
    return Math.max(shortestLeaseSeconds, askedSeconds);
}

/**
 * When a lease ends whose time starts at `now`, in milliseconds. It starts when the lease is granted or kept alive, and
 * for all leases when etcd elects a new leader.
 */
export function leaseEnd(now: number, seconds: number): number {
    return now + seconds * 1000;
}
