import type { WireRecoveryStage } from "pulumi-tidb/provider/pd/wire";
/** A version of a key in PD's etcd, from a revision on. */
export interface KeyVersion {
    /** Undefined if this revision deleted the key. */
    value: Buffer | undefined;
    created: number;
    revision: number;
    version: number;
    /** The lease that the key ends with. */
    lease?: string;
    at: number;
}

/** PD's etcd, as far as the simulation needs it. */
export interface Etcd {
    revision: number;
    /** By key: the versions that are not compacted, oldest first. */
    keys: Map<string, KeyVersion[]>;
    /** By id. */
    leases: Map<string, Lease>;
    nextLeaseId: bigint;
}

/** A lease. Its keys are deleted when it is no longer kept alive. */
export interface Lease {
    ttlSeconds: number;
    endsAt: number;
}

/** The region checks that gates read: the indexes of the regions that each would list. */
export interface RegionChecks {
    miss: number[];
    down: number[];
    pending: number[];
    offline: number[];
    learner: number[];
}

/** A leadership of PD: what stores and regions have reported to the leader since its election. */
export interface Leadership {
    since: number;
    /** When PD lost the previous leader. Stores have been looking for the new one since then. */
    soughtSince: number;
    /**
     * Whether it knew the leaders of the regions at its election. A follower knows them if it was running when they
     * were reported to another leader.
     */
    knewLeaders: boolean;
    hasAllReports: boolean;
    /** Whether enough regions were reported to load its schedulers. */
    hasSchedulers: boolean;
    nextSchedulerCheck: number;
    nextMetrics: number;
    /** The values of its gauges. Undefined before its first count. */
    counted?: RegionChecks & { withSchedulers: boolean };
}

/** The stages of an unsafe recovery. */
type RecoveryStage =
    "collect report" | "force leader" | "demote Failed voter" | "create empty region" | "exit force leader";

/** The recovery that PD's leader runs, or ran last. */
export interface UnsafeRecovery {
    readonly failed: readonly number[];
    /** What happened, as PD tells it. */
    readonly output: WireRecoveryStage[];
    /** The stages that are left. The first one runs. Empty once it has ended. */
    left: RecoveryStage[];
    stageBegan: number;
    timeoutAt: number;
    error?: string;
    /** Regions that lost their majority, and those of them that lost all replicas. */
    readonly lost: readonly number[];
    readonly gone: readonly number[];
}
