/** A member of PD. */
export interface PdMember {
    readonly name: string;
    /** 64 bits, in decimal digits: too large for a number. */
    readonly memberId: string;
    readonly peerUrls: readonly string[];
    readonly clientUrls: readonly string[];
}

/** What PD's leader thinks of a member. */
export interface PdMemberHealth {
    readonly name: string;
    /** 64 bits, in decimal digits: too large for a number. */
    readonly memberId: string;
    readonly clientUrls: readonly string[];
    /** False for one that does not answer; a deleted one is no longer listed. */
    readonly healthy: boolean;
}

/** The members of PD and who leads. */
export interface PdMembers {
    readonly members: readonly PdMember[];
    /** The leader of PD. Undefined while there is none. */
    readonly leader?: PdMember;
    /** The leader of the etcd inside PD: the same member but for a moment after a change. */
    readonly etcdLeader?: PdMember;
}

/** The state that PD gives a store. PD may know others. */
export type PdStoreState = "Up" | "Offline" | "Tombstone" | "Disconnected" | "Down" | "Preparing" | (string & {});

/** A TiKV or TiFlash store, as PD sees it. */
export interface PdStore {
    readonly id: number;
    /** Where the store says that it is reached: `host:port`. */
    readonly address: string;
    readonly state: PdStoreState;
    readonly labels: Readonly<Record<string, string>>;
    readonly version?: string;
    /** Regions that it leads, as far as PD has heard: after an election the count is too low for up to a minute. */
    readonly leaderCount: number;
    /** Regions of which it holds a peer. */
    readonly regionCount: number;
    /** Undefined for a store that never reported. */
    readonly lastHeartbeat?: Date;
    /** PD rounds it to four digits. */
    readonly capacityBytes?: number;
    /** PD rounds it to four digits. */
    readonly availableBytes?: number;
    /** Peers on it that lag behind their leader. */
    readonly pendingPeerCount: number;
    /** When its process started, by the clock of its own node, to the second. Undefined where PD was not told. */
    readonly startedAt?: Date;
}

/** A server of one of PD's microservices, as it is registered in PD. */
export interface PdServiceMember {
    /** Its name; empty before version 8.3.0. */
    readonly name: string;
    /** Where it says that it is reached: `http://host:port`. */
    readonly address: string;
}

/** A pump, as it registers itself in PD's etcd. */
export interface PdPump {
    readonly nodeId: string;
    /** Where it says that it is reached: `host:port`. */
    readonly host: string;
    /** `online`, `pausing`, `paused`, `closing` or `offline`. */
    readonly state: string;
}

/** How PD spreads copies. */
export interface PdReplication {
    /** Copies of each region. */
    readonly maxReplicas: number;
    readonly locationLabels: readonly string[];
    readonly enablePlacementRules: boolean;
}

/** Who leads PD, and for how long. */
export interface PdLeadership {
    /** Name of the leader. Undefined while there is none. */
    readonly leader: string | undefined;
    /**
     * Differs from one leadership to the next, also where the same member leads again: the revision at which the
     * leader's key in PD's etcd was made. `none` while there is no leader; `name:<leader>` where etcd's gateway cannot be
     * asked, and then only a change to another member is seen.
     */
    readonly term: string;
    /**
     * It has been held for at least so long, in milliseconds, by PD's clock alone. Undefined where PD cannot tell: there
     * is no leader or it has only just begun, etcd's gateway is off, or PD keeps no timestamp there (a PD with the
     * microservice `tso`).
     */
    readonly heldForMilliseconds?: number;
    /**
     * When it began, at the latest, by PD's clock. Heartbeats that an earlier leader noted by a clock of its own are before
     * it, too. Undefined where `heldForMilliseconds` is.
     */
    readonly since?: Date;
}

/** How many regions PD counts as short of something, as its leader's gauge `pd_regions_status` has it. */
export interface PdRegionStatus {
    readonly missPeer: number;
    readonly downPeer: number;
    readonly pendingPeer: number;
}

/** What a peer is in its region. In joint consensus the new voters are `incoming`, and those that will leave `demoting`. */
export type PdPeerRole = "voter" | "learner" | "incoming" | "demoting";

/** A copy of a region on a store. */
export interface PdPeer {
    readonly peerId: number;
    readonly storeId: number;
    readonly role: PdPeerRole;
    /** Its leader says that it lags behind. */
    readonly isPending: boolean;
    /** Its leader says that it does not answer. */
    readonly isDown: boolean;
}

/** A region, as its leader last described it to PD. */
export interface PdRegion {
    readonly id: number;
    readonly peers: readonly PdPeer[];
}

/** One of PD's placement rules: how many peers a key range has, and on which stores. */
export interface PdPlacementRule {
    readonly group: string;
    readonly id: string;
    readonly role: "voter" | "leader" | "follower" | "learner";
    /** Peers that the rule asks for. */
    readonly count: number;
    /** What the labels of a store must be. A store that meets all of them may have such a peer. */
    readonly constraints: readonly PdLabelConstraint[];
    /** First key, in hexadecimal digits; empty for no bound. */
    readonly startKey: string;
    /** The key behind the last one, in hexadecimal digits; empty for no bound. */
    readonly endKey: string;
}

/** A condition on one label of a store. */
export interface PdLabelConstraint {
    readonly key: string;
    readonly op: "in" | "notIn" | "exists" | "notExists";
    readonly values: readonly string[];
}

/** A key of PD's etcd. */
export interface PdKey {
    readonly value: string;
    /** The lease that it ends with, 64 bits in decimal digits; undefined for one that stays. */
    readonly leaseId?: string;
}

/** Whether a key was put: `held` says that it is there under the lease given. Else by whom it is held. */
export type PdHeld = { readonly held: true } | ({ readonly held: false } & PdKey);

/** The kinds of `regions/check` that tell whether a region is short of peers. */
export type PdRegionCheck = "miss-peer" | "down-peer" | "pending-peer";

/** A task that keeps others from taking stores down. */
export interface PdMaintenanceTask {
    /** Kind of task; any word. */
    readonly type: string;
    /** Tells the task from others. */
    readonly id: string;
    /** For people. */
    readonly description: string;
}
