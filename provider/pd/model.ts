/** A member of PD. */
export interface PdMember {
    readonly name: string;
    /** 64 bits, in decimal digits: too large for a number. */
    readonly memberId: string;
    readonly peerUrls: readonly string[];
    readonly clientUrls: readonly string[];
    /** The version of the server that started last. Undefined if it has not said. */
    readonly version?: string;
}

/** A member's health, as PD's leader reports it. */
export interface PdMemberHealth {
    readonly name: string;
    /** 64 bits, in decimal digits: too large for a number. */
    readonly memberId: string;
    readonly clientUrls: readonly string[];
    /** False if the member does not answer. Deleted members are no longer listed. */
    readonly healthy: boolean;
}

/** The members of PD and their leader. */
export interface PdMembers {
    readonly members: readonly PdMember[];
    /** The leader of PD. Undefined while there is none. */
    readonly leader?: PdMember;
    /** The leader of the etcd inside PD: the same member, except for a moment after a change. */
    readonly etcdLeader?: PdMember;
}

/**
 * A store's state in PD. PD may have other states. `New`: it has registered, and PD waits for its first heartbeat. PD's own word for that is
 * "Down", because it counts the silence from 1970 on.
 */
export type PdStoreState =
    "New" | "Up" | "Offline" | "Tombstone" | "Disconnected" | "Down" | "Preparing" | (string & {});

/** A TiKV or TiFlash store, as PD reports it. */
export interface PdStore {
    readonly id: number;
    /** The address that the store advertises: `host:port`. */
    readonly address: string;
    readonly state: PdStoreState;
    readonly labels: Readonly<Record<string, string>>;
    /** As its process registered it: `8.5.4`. */
    readonly version?: string;
    /**
     * Regions that the store leads, as far as PD knows: after a PD election the count is too low for up to a minute.
     */
    readonly leaderCount: number;
    /** Regions that have a peer on the store. */
    readonly regionCount: number;
    /** Undefined if the store has never reported. */
    readonly lastHeartbeat?: Date;
    /** PD rounds it to four digits. */
    readonly capacityBytes?: number;
    /** PD rounds it to four digits. */
    readonly availableBytes?: number;
    /** How much of it the store's data takes. PD rounds it to four digits. */
    readonly usedBytes?: number;
    /** Peers on the store that lag behind their leader. */
    readonly pendingPeerCount: number;
    /** The store's own measure of how slow its disk is, from 1 to 100. PD calls 80 slow. Undefined if it reports none. */
    readonly slowScore?: number;
    /** Whether the store calls itself too busy for more work. Default: it does not. */
    readonly isBusy?: boolean;
    /**
     * When the store's process started, by its node's clock, to the second. Undefined if the store did not report it.
     */
    readonly startedAt?: Date;
}

/** PD's limits of how fast leaders move. */
export interface PdLeaderLimits {
    /** How many leaders move at once. 0 switches their moving off. */
    readonly "leader-schedule-limit": number;
    /** How many leaders the evict-leader scheduler moves in one go. Absent if PD evicts no store, or is older than 8.3. */
    readonly batch?: number;
}

/** A server of one of PD's microservices, as registered in PD. */
export interface PdServiceMember {
    /** The server's name; empty before version 8.3.0. */
    readonly name: string;
    /** The address that the server advertises: `http://host:port`. */
    readonly address: string;
}

/** A pump, as registered in PD's etcd. */
export interface PdPump {
    readonly nodeId: string;
    /** The address that the pump advertises: `host:port`. */
    readonly host: string;
    /** `online`, `pausing`, `paused`, `closing` or `offline`. */
    readonly state: string;
}

/** PD's replication settings. */
export interface PdReplication {
    /** Replicas of each region. */
    readonly maxReplicas: number;
    readonly locationLabels: readonly string[];
    /** As in a placement rule, while these are disabled. */
    readonly isolationLabels?: readonly string[];
    readonly enablePlacementRules: boolean;
}

/** Which member leads PD, and for how long. */
export interface PdLeadership {
    /** Name of the leader. Undefined while there is none. */
    readonly leader: string | undefined;
    /**
     * Identifies the leadership, and changes even if the same member is elected again: the revision at which the
     * leader's key in PD's etcd was created. `none` while there is no leader. `name:<leader>` if etcd's gateway cannot
     * be asked: then only a change to another member shows.
     */
    readonly term: string;
    /**
     * The minimum time that the leader has led, in milliseconds, by PD's clock alone. Undefined if PD cannot tell:
     * there is no leader or its leadership has just begun, etcd's gateway is off, or PD keeps no timestamp there (a PD
     * with the microservice `tso`).
     */
    readonly heldForMilliseconds?: number;
    /**
     * The latest time at which the leadership can have begun, by PD's clock. Heartbeats that an earlier leader noted by
     * its own clock are earlier, too. Undefined if `heldForMilliseconds` is.
     */
    readonly since?: Date;
}

/** How many regions PD counts as unhealthy, from its leader's gauge `pd_regions_status`, or by its lists where PD runs as microservices. */
export interface PdRegionStatus {
    readonly missPeer: number;
    readonly downPeer: number;
    readonly pendingPeer: number;
    /**
     * How many regions are isolated at which location label: by the first one of `location-labels` in which all their stores differ,
     * `none` if there is none. From its leader's gauge `pd_regions_label_level`; absent while PD does not report it.
     */
    readonly isolation?: Readonly<Record<string, number>>;
    /**
     * How long PD took to look at all regions once, by `pd_checker_patrol_regions_time`: so old may what it counts as `isolation` be.
     * Absent before its first round.
     */
    readonly patrolSeconds?: number;
}

/**
 * A peer's role in its region. In joint consensus new voters are `incoming`, and voters that will leave are `demoting`.
 */
export type PdPeerRole = "voter" | "learner" | "incoming" | "demoting";

/** A replica of a region on a store. */
export interface PdPeer {
    readonly peerId: number;
    readonly storeId: number;
    readonly role: PdPeerRole;
    /** Whether the region's leader reports that the peer lags behind. */
    readonly isPending: boolean;
    /** Whether the region's leader reports that the peer does not answer. */
    readonly isDown: boolean;
    /** Whether it votes and has no data, so it never leads. Default: it has. */
    readonly isWitness?: true;
}

/** A region, as its leader last described it to PD. */
export interface PdRegion {
    readonly id: number;
    readonly peers: readonly PdPeer[];
    /** First key, and the first key after it, as PD encodes them, in hexadecimal digits; empty for no bound. Undefined if PD left them out. */
    readonly startKey?: string;
    readonly endKey?: string;
    /** In MiB, as its leader last reported it. Undefined if PD left it out. */
    readonly approximateMebibytes?: number;
}

/** An unsafe recovery of PD: regions that lost their majority go on without their replicas on failed stores. PD's leader keeps it in memory. */
export interface PdUnsafeRecovery {
    /** `none`: this leader has begun none, and knows nothing of those of earlier leaders. */
    readonly stage: "none" | "running" | "finished" | "failed";
    /** Ascending. Undefined if PD named none. */
    readonly failedStores?: readonly number[];
    /** What PD last said of it. */
    readonly report: string;
}

/** One of PD's placement rules: how many peers a key range has, and on which stores. */
export interface PdPlacementRule {
    readonly group: string;
    readonly id: string;
    readonly role: "voter" | "leader" | "follower" | "learner";
    /** Number of peers that the rule requires. */
    readonly count: number;
    /** Conditions on a store's labels. A store that meets all of them may hold such a peer. */
    readonly constraints: readonly PdLabelConstraint[];
    /** First key, in hexadecimal digits; empty for no bound. */
    readonly startKey: string;
    /** The key behind the last one, in hexadecimal digits; empty for no bound. */
    readonly endKey: string;
    /** Location labels down to the isolation level. The stores of a region's peers must differ in them. Default: they need not. */
    readonly isolationLabels?: readonly string[];
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
    /** The lease that the key disappears with, 64 bits in decimal digits; undefined for a permanent key. */
    readonly leaseId?: string;
}

/** The task of a log backup, as BR keeps it in PD's etcd. */
export interface PdLogBackup {
    readonly name: string;
    /** Where it writes, without its keys: `s3://backups/log`. Empty if the storage is of another kind than this client knows. */
    readonly storage: string;
    /** The storage's endpoint. Undefined if the task names none. */
    readonly endpoint?: string;
    /** The storage account of Azure. Undefined if the task names none. */
    readonly account?: string;
    /** The time from which on it writes every change, as a TSO. */
    readonly startTs: bigint;
    /** The time up to which every change is in the storage, as a TSO. At least that: it may be later. */
    readonly checkpointTs: bigint;
    /** Whether somebody, or a TiKV that failed, has paused it. */
    readonly paused: boolean;
    /** The last error of each TiKV that has one. */
    readonly errors: readonly string[];
}

/** Whether a key is `held` under the given lease; otherwise the key that exists. */
export type PdHeld = { readonly held: true } | ({ readonly held: false } & PdKey);

/** The kinds of `regions/check` that find regions short of peers. */
export type PdRegionCheck = "miss-peer" | "down-peer" | "pending-peer";

/** A task that keeps other tools from taking stores down. */
export interface PdMaintenanceTask {
    /** Kind of task; any word. */
    readonly type: string;
    /** Distinguishes the task from others. */
    readonly id: string;
    /** A text for people. */
    readonly description: string;
}

/** A scheduler by which PD evicts leaders from stores that it chooses. */
export type PdOwnScheduler =
    "evict-slow-store-scheduler" | "evict-slow-trend-scheduler" | "evict-stopping-store-scheduler";

/** A store whose leaders PD evicts by itself, or to which it sends none. */
export interface PdOwnEviction {
    readonly storeId: number;
    readonly scheduler: PdOwnScheduler;
    /** How long PD keeps the leaders away at least, in seconds. Undefined if the scheduler has no such time. */
    readonly recoverySeconds?: number;
}

export interface PdOwnEvictions {
    readonly evictions: readonly PdOwnEviction[];
    /** Schedulers that run and of which PD does not report the stores: PD is older than 8.5.6 and does not serve its etcd over HTTP. */
    readonly unreported: readonly PdOwnScheduler[];
}
