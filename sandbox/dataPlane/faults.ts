import type { WirePlacementRule } from "pulumi-tidb/provider/pd/wire";
import type { OwnScheduler } from "./facts/schedulers";

/** The faults of one store. */
export interface StoreFault {
    /** How many leaders leave this store per second during an eviction. 0 is stuck; a small number is slow. */
    evictedLeadersPerSecond?: number;
    /** How many region peers leave this store per second once it is Offline. 0 is stuck. */
    drainedRegionsPerSecond?: number;
    /**
     * The process is dead although its pod looks healthy: no heartbeat, no leader. PD calls it Disconnected, and later
     * Down.
     */
    dead?: boolean;
    /** The state that PD reports for the store at once, without waiting for heartbeats to be missed. */
    state?: "Disconnected" | "Down";
    /** The address that the store registers: that of another cluster or of another store. */
    address?: string;
    /** PD keeps leaders away from the store after its eviction has ended, until PD's leader changes (tikv/pd#9185). */
    keepsPaused?: boolean;
    /** PD's scheduler that evicts its leaders without being asked to, such as `evict-slow-store-scheduler`. It outlives PD's leader. */
    evictedByPd?: OwnScheduler;
    /** The size of its disk in bytes. Default: 1 TiB. */
    diskBytes?: number;
    /** How many bytes of its disk are free. Default: what its regions leave. */
    freeBytes?: number;
    /** Its own signs that it is slow, as it reports them to PD: a score from 1 to 100, and whether it calls itself busy. */
    slow?: { score?: number; isBusy?: boolean };
    /**
     * What its status port does: it closes the connection, never answers, or lacks the line with the store's leaders.
     */
    statusPort?: "refused" | "nothing" | "without-gauge";
    /** Its status port refuses every change of the configuration. */
    refusesSettings?: boolean;
}

/**
 * A store that PD lists although it belongs to none of the cluster's pods: a store of another cluster, or a dead one.
 */
export interface ExtraStore {
    id: number;
    address: string;
    /** Default: `Up`. */
    state?: "Up" | "Disconnected" | "Down" | "Offline";
    /** Default: 0. */
    leaders?: number;
    /** Default: 0. */
    regions?: number;
    /** How long ago PD received its last heartbeat. Default: 0. */
    heartbeatAgeMilliseconds?: number;
}

/** The faults of one PD member. */
export interface MemberFault {
    /** The member does not count towards the quorum and cannot lead: `health: false`. */
    unhealthy?: boolean;
    /**
     * How the member answers: with a 500, never, by closing the connection, with a web page, or with truncated JSON.
     */
    answers?: "error" | "nothing" | "refused" | "html" | "truncated";
    /** Delays each answer by this time. */
    delayMilliseconds?: number;
    /** Delays answers about the members' health by this time, as when a member does not answer PD either. */
    healthDelayMilliseconds?: number;
}

/** The faults of one TiDB server. */
export interface TidbFault {
    /** `/status` returns 500. */
    unhealthy?: boolean;
    /** Its SQL port accepts connections and sends nothing. */
    sqlUnresponsive?: boolean;
    /** Its SQL port accepts no login without TLS, as with `require_secure_transport`. */
    requiresTls?: boolean;
    /** It refuses every change of its settings. */
    refusesSettings?: boolean;
    /** It answers 400 to everything about a smooth upgrade, as when the owner of TiDB's DDL does not answer it. */
    refusesUpgrade?: boolean;
}

/** The faults of one cluster. Fields may be set and cleared at any time and take effect immediately. */
export interface Faults {
    /** By pod name. */
    stores: Record<string, StoreFault>;
    /** By pod name. `"*"` applies to every member without its own entry. */
    members: Record<string, MemberFault>;
    /** By pod name. */
    tidb: Record<string, TidbFault>;
    /** By pod name: the version that its server says, where the image behind the tag is of another one. */
    versions?: Record<string, string>;
    /** PD has no leader: every call except `ready` returns 500. */
    noLeader?: boolean;
    /** Leader transfers and resignations are accepted but never happen. */
    leaderTransferNeverHappens?: boolean;
    /** The checkpoints of log backups do not move. */
    logBackupStands?: boolean;
    /** TiCDC captures never hand over their tables. */
    captureDrainNeverEnds?: boolean;
    /** Adding an eviction returns 500. */
    evictionRefused?: boolean;
    /** Deleting a store or a member returns 500. */
    deletionRefused?: boolean;
    /** Problems of regions in addition to those that the model computes. */
    regions: RegionFaults;
    /**
     * PD's leader counts no leaders and no regions with problems, although everything else says it is fully informed.
     */
    blindPd?: boolean;
    /** PD lists no stores, only the stores of these pods, or all stores as they were when the fault was set. */
    storeList?: "empty" | "stale" | { only: string[] };
    /** Additional stores that PD lists. */
    extraStores?: ExtraStore[];
    /**
     * The cluster id that PD reports, in decimal digits. Simulates a PD with the right name that belongs to another
     * cluster.
     */
    clusterId?: string;
    /** Placement rules in addition to those for `max-replicas` and TiFlash. */
    placementRules?: WirePlacementRule[];
    /** PD does not serve its etcd over HTTP (`enable-grpc-gateway = false`). */
    etcdGatewayOff?: boolean;
}

/** The number of regions in which one peer has a problem. */
export interface RegionFaults {
    missPeers?: number;
    /** A voter is down. */
    downPeers?: number;
    /** A voter lags behind. */
    pendingPeers?: number;
    /** A learner on TiFlash lags behind. */
    pendingLearners?: number;
    /** One voter is being replaced by another in joint consensus. Needs at least one store more than `max-replicas`. */
    inJointConsensus?: number;
}

/** Returns the version that a pod's server says. */
export function saidVersion({ versions }: Faults, pod: string, tag: string): string {
    return versions?.[pod] ?? tag;
}

/** Returns a set without any faults. */
export function noFaults(): Faults {
    return { stores: {}, members: {}, tidb: {}, regions: {} };
}

/** The fault of a PD member: its own entry, or otherwise the one for all members. */
export function memberFault(faults: Faults, pod: string): MemberFault {
    return faults.members[pod] ?? faults.members["*"] ?? {};
}
