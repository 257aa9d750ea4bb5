/** Name of the key under which PD keeps its cluster's id. */
export const clusterIdKey = "/pd/cluster_id";

/** What the names of all other keys of a cluster begin with. */
export function clusterRoot(clusterId: bigint): string {
    return `/pd/${clusterId}/`;
}

/** Name of a key of one cluster: its leader, the timestamp that it saved last, or the configuration of a scheduler. */
export function clusterKey(clusterId: bigint, key: "leader" | "timestamp" | `scheduler_config/${string}`): string {
    return `${clusterRoot(clusterId)}${key}`;
}

/** etcd grants no shorter lease with PD's election time-out of 3 s. */
const shortestLeaseSeconds = 5;

/** How long the lease is that etcd grants to whoever asks for this one. */
export function grantedSeconds(askedSeconds: number): number {
    return Math.max(shortestLeaseSeconds, askedSeconds);
}

/**
 * When a lease ends whose time begins at `now`, in milliseconds: when it is granted or kept alive, and, for every lease,
 * when etcd has a new leader.
 */
export function leaseEnd(now: number, seconds: number): number {
    return now + seconds * 1000;
}
