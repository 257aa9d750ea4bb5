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
}

/** What goes wrong with one PD member. */
export interface MemberFault {
    /** The member is in no quorum and leads nothing: `health: false`. */
    unhealthy?: boolean;
    /** What the member does with calls: a 500, no answer ever, or a closed connection. */
    answers?: "error" | "nothing" | "refused";
    /** Each answer comes this much later. */
    delayMilliseconds?: number;
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
    /** Regions that PD reports in these checks besides those that the model counts. */
    regions: { missPeers?: number; downPeers?: number; pendingPeers?: number };
}

/** No fault at all. */
export function noFaults(): Faults {
    return { stores: {}, members: {}, tidb: {}, regions: {} };
}

/** The fault of a PD member: its own, else the one for all. */
export function memberFault(faults: Faults, pod: string): MemberFault {
    return faults.members[pod] ?? faults.members["*"] ?? {};
}
