import type {
    PdHeld,
    PdKey,
    PdLeaderLimits,
    PdLeadership,
    PdLogBackup,
    PdMemberHealth,
    PdMembers,
    PdOwnEvictions,
    PdPlacementRule,
    PdPump,
    PdRegion,
    PdRegionCheck,
    PdRegionStatus,
    PdReplication,
    PdServiceMember,
    PdStore,
    PdUnsafeRecovery,
} from "./model";
import type { PdMaintenanceTask } from "./model";

/**
 * The part of PD's HTTP API that operating a cluster needs. Every method rejects with a `PdError`. The comments name
 * only the special cases.
 */
export interface PdClient {
    /** Requests sent since the client was created, retries included. */
    readonly calls: number;
    /**
     * Guards every request that changes something.
     * @param assertAllowed throws if nothing may be changed any more. It is called right before each such request is sent,
     * even if the call asks questions first or is retried at another member.
     * @returns a client with the same connections.
     */
    guardedBy(assertAllowed: () => void): PdClient;
    /** 64 bits, in decimal digits. */
    clusterId(): Promise<string>;
    health(): Promise<PdMemberHealth[]>;
    members(): Promise<PdMembers>;
    /** Submits a transfer of the leadership and does not wait for it: poll `members()` to see it. */
    transferLeader(toMemberName: string): Promise<void>;
    /** Makes the leader resign and does not wait for it: poll `members()` to see it. */
    resignLeader(): Promise<void>;
    /** Removes a member from PD. Succeeds if the member does not exist. */
    deleteMember(name: string): Promise<void>;
    /** Removes a member that has joined but never started, and so has no name. `memberId` has decimal digits. */
    deleteMemberById(memberId: string): Promise<void>;
    /**
     * Reads who leads PD, and for how long. Rejects if there is no quorum, but not if there is no leader. Read it
     * before and after other questions: the same `term` means that one leader answered all of them.
     * @param part `leader` saves the question for how long. Default: `all`.
     */
    leadership(part?: "all" | "leader"): Promise<PdLeadership>;
    /**
     * Lists the names of PD's running schedulers. PD has loaded its schedulers if `balance-leader-scheduler` is listed.
     * Until then, after an election, it lists none, or only those that were added since. `PD_NOT_BOOTSTRAPPED` before
     * the first store.
     */
    schedulers(): Promise<string[]>;
    /** Returns how many regions PD knows. The number is right immediately after an election. */
    regionCount(): Promise<number>;
    /**
     * Asks PD's leader itself how many regions are unhealthy. Undefined if another member answered. After an election
     * the numbers are zeros or those of an earlier leadership until PD has counted, so they are evidence only if the
     * leader has led for a while. Where PD runs as microservices its leader does not count, so its lists of such regions are counted:
     * about 500 bytes for each region.
     */
    regionStatus(): Promise<PdRegionStatus | undefined>;
    /** Lists all regions that a check finds. PD sends about 500 bytes for each region: read `regionStatus` first. */
    regionsShortOf(kind: PdRegionCheck): Promise<PdRegion[]>;
    /** Lists all regions that have a peer on a store. PD sends each in full: read the store's `regionCount` first. */
    regionsOfStore(id: number): Promise<PdRegion[]>;
    /** Lists all stores but the Tombstone ones. `PD_NOT_BOOTSTRAPPED` if no store has ever started. */
    stores(): Promise<PdStore[]>;
    /** Lists the Tombstone stores: their data has moved away. `PD_NOT_BOOTSTRAPPED` if no store has ever started. */
    tombstoneStores(): Promise<PdStore[]>;
    /** Reads one store in any state. Undefined if PD does not know it or is not bootstrapped. */
    store(id: number): Promise<PdStore | undefined>;
    /**
     * Sets a store Offline: its regions move away, then it becomes Tombstone. Succeeds if it is Offline or Tombstone
     * already. `PD_NOT_FOUND` if PD does not know the store. PD also accepts a store that it cannot do without: check
     * that first.
     */
    deleteStore(id: number): Promise<void>;
    /** Undoes `deleteStore` while the store is Offline. `PD_NOT_FOUND` if PD does not know the store. */
    setStoreUp(id: number): Promise<void>;
    /** Sets these labels of a store. It keeps the others, and PD finds a key whatever its case is (tikv/pd pkg/core/store.go, MergeLabels). */
    setStoreLabels(id: number, labels: Readonly<Record<string, string>>): Promise<void>;
    /** Reads whether BR has marked the cluster as one whose TiKV recovers from snapshots of volumes. Also before the first store. */
    snapshotRecovering(): Promise<boolean>;
    /** Reads the unsafe recovery that PD's leader runs, or ran last. A new leader knows of none. */
    unsafeRecovery(): Promise<PdUnsafeRecovery>;
    /**
     * Begins an unsafe recovery, and does not wait for it: poll `unsafeRecovery()`. PD makes the stores Tombstone at once. `PD_REFUSED`
     * if it does not know a store or hears from it, or while another recovery runs.
     * @param timeoutSeconds after which PD gives up.
     */
    removeFailedStores(stores: readonly number[], timeoutSeconds: number): Promise<void>;
    replication(): Promise<PdReplication>;
    /** Reads the share of a store's disk that may be used until PD moves no region to it (`schedule.low-space-ratio`). */
    lowSpaceRatio(): Promise<number | undefined>;
    /** Reads for how long a store must be silent until PD calls it Down (`schedule.max-store-down-time`), in milliseconds. */
    storeDownTime(): Promise<number>;
    /** Lists all placement rules. Undefined if they are switched off: then only `maxReplicas` counts. */
    placementRules(): Promise<PdPlacementRule[] | undefined>;
    /**
     * Lists the stores under leader eviction, ascending. Undefined if PD has no list (404): there is no eviction, or PD
     * has not loaded its schedulers yet. `schedulers()` tells the two apart.
     */
    evictedStores(): Promise<number[] | undefined>;
    /**
     * Lists the stores whose leaders PD evicts by itself, because they are slow or stop. Without a list (404) the scheduler does not run,
     * or PD has not loaded its schedulers yet: `schedulers()` tells the two apart.
     */
    ownEvictions(): Promise<PdOwnEvictions>;
    /**
     * Lists the stores whose eviction is persisted, ascending: PD's next leader will evict them. `PD_NOT_READY` if
     * etcd's gateway is off and PD has not loaded its schedulers.
     */
    persistedEvictions(): Promise<number[]>;
    /**
     * Begins to evict leaders from a store, and checks that PD lists the eviction and has lost no other. Succeeds if
     * the eviction exists already. `PD_NOT_FOUND` if PD does not know the store. `PD_NOT_READY` while PD has not loaded
     * its schedulers: it would erase the evictions of others.
     */
    beginLeaderEviction(storeId: number): Promise<void>;
    /**
     * Ends a leader eviction, so leaders may return to the store, and checks that it is gone from PD's list and etcd.
     * Succeeds if there is no eviction. `PD_NOT_READY` while PD has not loaded its schedulers: it would load the
     * eviction again.
     */
    endLeaderEviction(storeId: number): Promise<void>;
    /** Reads how fast leaders may move. A value that PD has only for a time (`?ttlSecond`) is not among them. */
    leaderLimits(): Promise<PdLeaderLimits>;
    /** Sets the batch of the evict-leader scheduler, 1 to 10. PD keeps it in its etcd. Succeeds if PD evicts no store. */
    setEvictionBatch(batch: number): Promise<void>;
    /**
     * Returns how many regions a check finds. PD sends each region in full: read `regionStatus` first. A zero for
     * `down-peer` means little while stores do not report.
     */
    countRegionsInCheck(kind: PdRegionCheck): Promise<number>;
    /**
     * Asks only the endpoint of that name whether its member has loaded its regions. True if this version of PD does
     * not have the question (404). Rejects with `PD_UNREACHABLE` if the member itself does not answer.
     */
    memberReady(memberName: string): Promise<boolean>;
    /**
     * Lists the servers of a microservice (`tso`, `scheduling`). Empty if none is registered, or PD runs without
     * microservices.
     */
    serviceMembers(service: string): Promise<PdServiceMember[]>;
    /** Lists all pumps that have ever registered, including those that are offline. */
    pumps(): Promise<PdPump[]>;
    /** Returns the address of a microservice's primary; undefined while it has none. */
    servicePrimary(service: string): Promise<string | undefined>;
    /**
     * Submits a transfer of the microservice's primary and does not wait for it: poll `servicePrimary` of PD to see it.
     * This client's endpoints must be the microservice's servers, not PD's.
     */
    transferPrimary(service: string, toName: string): Promise<void>;
    /** Lists the running maintenance tasks. Empty if this PD has no such lock (8.5 and older). */
    maintenanceTasks(): Promise<PdMaintenanceTask[]>;
    /**
     * Begins a maintenance task; a cluster has one at a time. Returns `begun`, also if it was begun before; `unknown`
     * if this PD has no such lock (8.5 and older); otherwise the task that is running.
     */
    beginMaintenance(task: PdMaintenanceTask): Promise<"begun" | "unknown" | PdMaintenanceTask>;
    /** Ends a maintenance task. Succeeds if it has ended already. */
    endMaintenance(task: Pick<PdMaintenanceTask, "type" | "id">): Promise<void>;
    /**
     * Creates a lease in PD's etcd. The lease and the keys put under it disappear if it is not renewed for
     * `ttlSeconds`, at least 5 s. This and the following calls reject with `PD_NO_GATEWAY` if PD does not serve etcd
     * over HTTP.
     * @returns the lease's id, 64 bits in decimal digits
     */
    grantLease(ttlSeconds: number): Promise<string>;
    /** Renews a lease. False if it has ended already. */
    keepLeaseAlive(leaseId: string): Promise<boolean>;
    /** Ends a lease and deletes its keys. Succeeds if the lease has ended already. */
    revokeLease(leaseId: string): Promise<void>;
    /**
     * Puts a key into PD's etcd unless it exists. A key that exists under the same lease counts as held. `PD_NOT_FOUND`
     * if the lease has ended.
     */
    putIfAbsent(key: string, value: string, leaseId: string): Promise<PdHeld>;
    /** Reads a key from PD's etcd; undefined if it does not exist. */
    readKey(key: string): Promise<PdKey | undefined>;
    /** Lists the tasks of log backups. BR starts one at most. `PD_NO_GATEWAY` if PD does not serve etcd over HTTP. */
    logBackups(): Promise<PdLogBackup[]>;
    /** Reads PD's configuration: objects and values by section, as PD writes them. */
    config(): Promise<Readonly<Record<string, unknown>>>;
    /**
     * Changes items of PD's configuration, by dotted key. PD keeps them in its etcd. Some booleans must be texts: `"true"`.
     * `PD_REFUSED` with PD's reason for an unknown key or a wrong type; items before it in the request may be changed.
     */
    setConfig(items: Readonly<Record<string, string | number | boolean>>): Promise<void>;
    /** Returns PD's version, such as `v8.5.4`. */
    version(): Promise<string>;
    /** Closes the connections. Running calls fail, and later calls are refused. */
    close(): void;
}
