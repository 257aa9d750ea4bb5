/** A key of PD's etcd as it was from a revision on. */
export interface KeyVersion {
    /** Undefined where this revision deleted it. */
    value: Buffer | undefined;
    created: number;
    revision: number;
    version: number;
    /** Lease that it ends with. */
    lease?: string;
    at: number;
}

/** PD's etcd, as far as something here reads it. */
export interface Etcd {
    revision: number;
    /** By name: the versions that are not compacted, oldest first. */
    keys: Map<string, KeyVersion[]>;
    /** By id. */
    leases: Map<string, Lease>;
    nextLeaseId: bigint;
}

/** A lease: what is put under it goes when nobody keeps it alive. */
export interface Lease {
    ttlSeconds: number;
    endsAt: number;
}

/** The checks of regions that gates read: indexes of the regions that each would list. */
export interface RegionChecks {
    miss: number[];
    down: number[];
    pending: number[];
    offline: number[];
    learner: number[];
}

/** A leadership of PD: what its leader has heard of stores and regions since it was elected. */
export interface Leadership {
    since: number;
    /** Since when stores have been looking for it: PD lost the leader before. */
    soughtSince: number;
    /** Whether it knew at its election who leads the regions, as a follower does that was there when another leader heard it. */
    knewLeaders: boolean;
    hasHeardAll: boolean;
    /** Whether it has heard of enough regions to load its schedulers. */
    hasSchedulers: boolean;
    nextSchedulerCheck: number;
    nextMetrics: number;
    /** What its gauges say; undefined until it has counted for the first time. */
    counted?: RegionChecks & { withSchedulers: boolean };
}
