import type { WirePlacementRule } from "pulumi-tidb/provider/pd";

/** What goes wrong with one store. */
export interface StoreFault {
    /** Leaders a second that leave this store under an eviction: 0 is stuck, a small number is slow. */
    evictedLeadersPerSecond?: number;
    /** Region peers a second that leave this store once it is Offline: 0 is stuck. */
    drainedRegionsPerSecond?: number;
    /** The process is gone though its pod looks well: no heartbeat, no leader. PD calls it Disconnected, later Down. */
    dead?: boolean;
    /** What PD says of the store at once, without waiting for the silence to last. */
    state?: "Disconnected" | "Down";
    /** Where the store says that it is reached: another cluster's, or that of another store. */
    address?: string;
    /** PD keeps leaders from the store after its eviction has ended, until PD's leader changes (tikv/pd#9185). */
    keepsPaused?: boolean;
    /** What its status port does: it closes the connection, never answers, or has no line with the store's leaders. */
    statusPort?: "refused" | "nothing" | "without-gauge";
}

/** A store that PD lists though none of the cluster's pods is one: another cluster's, or a dead one. */
export interface ExtraStore {
    id: number;
    address: string;
    /** Default: `Up`. */
    state?: "Up" | "Disconnected" | "Down" | "Offline";
    /** Default: 0. */
    leaders?: number;
    /** Default: 0. */
    regions?: number;
    /** How long ago PD heard of it. Default: 0. */
    silentForMilliseconds?: number;
}

/** What goes wrong with one PD member. */
export interface MemberFault {
    /** The member is in no quorum and leads nothing: `health: false`. */
    unhealthy?: boolean;
    /** What the member does with calls: a 500, no answer ever, a closed connection, a web page, or JSON that is cut off. */
    answers?: "error" | "nothing" | "refused" | "html" | "truncated";
    /** Each answer comes this much later. */
    delayMilliseconds?: number;
    /** Answers about the members' health come this much later, as where a member does not answer PD either. */
    healthDelayMilliseconds?: number;
}

/** What goes wrong with one TiDB server. */
export interface TidbFault {
    /** `/status` answers 500. */
    unhealthy?: boolean;
    /** Its SQL port takes connections and says nothing. */
    sqlSilent?: boolean;
}

/** What goes wrong in one cluster. Set and clear the fields at any time; they hold from the next moment on. */
export interface Faults {
    /** By the name of the store's pod. */
    stores: Record<string, StoreFault>;
    /** By the name of the PD pod; `"*"` is for every one without an entry of its own. */
    members: Record<string, MemberFault>;
    /** By the name of the TiDB pod. */
    tidb: Record<string, TidbFault>;
    /** PD has no leader: every call but `ready` is a 500. */
    noLeader?: boolean;
    /** Leader transfers and resignations are accepted and never happen. */
    leaderTransferNeverHappens?: boolean;
    /** Captures of TiCDC never give their tables away. */
    captureDrainNeverEnds?: boolean;
    /** Adding an eviction is a 500. */
    evictionRefused?: boolean;
    /** Deleting a store or a member is a 500. */
    deletionRefused?: boolean;
    /** Regions that have something wrong with them besides those that the model counts. */
    regions: RegionFaults;
    /** PD's leader counts no leaders and no regions that are short of something, though all else says that it knows. */
    blindPd?: boolean;
    /** PD lists no store, those of these pods only, or all of them as they were when the fault was set. */
    storeList?: "empty" | "stale" | { only: string[] };
    /** Stores that PD lists besides. */
    extraStores?: ExtraStore[];
    /** Id of the cluster that PD says it is, in decimal digits: a PD of the right name and another cluster. */
    clusterId?: string;
    /** Placement rules besides those of `max-replicas` and of TiFlash. */
    placementRules?: WirePlacementRule[];
    /** PD does not serve its etcd over HTTP (`enable-grpc-gateway = false`). */
    etcdGatewayOff?: boolean;
}

/** How many regions have something wrong with one of their peers. */
export interface RegionFaults {
    missPeers?: number;
    /** A voter does not answer. */
    downPeers?: number;
    /** A voter lags behind. */
    pendingPeers?: number;
    /** A learner on TiFlash lags behind. */
    pendingLearners?: number;
    /** One voter is being replaced by another, in joint consensus. Needs a store more than `max-replicas`. */
    inJointConsensus?: number;
}

/** No fault at all. */
export function noFaults(): Faults {
    return { stores: {}, members: {}, tidb: {}, regions: {} };
}

/** The fault of a PD member: its own, else the one for all. */
export function memberFault(faults: Faults, pod: string): MemberFault {
    return faults.members[pod] ?? faults.members["*"] ?? {};
}
