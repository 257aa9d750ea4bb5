import type {
    PdHeld,
    PdKey,
    PdLeadership,
    PdMemberHealth,
    PdMembers,
    PdPlacementRule,
    PdPump,
    PdRegion,
    PdRegionCheck,
    PdRegionStatus,
    PdReplication,
    PdServiceMember,
    PdStore,
} from "./model";
import type { PdMaintenanceTask } from "./model";

/**
 * PD's HTTP API, as far as operating a cluster needs it. Every method rejects with a `PdError`; only what differs from
 * the plain case is said at each.
 */
export interface PdClient {
    /** Requests sent since the client was made, repeats included. */
    readonly calls: number;
    /**
     * @param assertMay throws where nothing may be changed any more. It is called right before each request that changes
     * something is sent, also where a call asks questions first, or is sent once more to another member.
     * @returns a client with the same connections.
     */
    guardedBy(assertMay: () => void): PdClient;
    /** 64 bits, in decimal digits. */
    clusterId(): Promise<string>;
    health(): Promise<PdMemberHealth[]>;
    members(): Promise<PdMembers>;
    /** Submits a change of leader, and does not wait for it: look at `members()` until it is seen. */
    transferLeader(toMemberName: string): Promise<void>;
    /** Submits that the leader gives up its place, and does not wait for it: look at `members()` until it is seen. */
    resignLeader(): Promise<void>;
    /** Takes a member out of PD. One that is not there is gone already: success. */
    deleteMember(name: string): Promise<void>;
    /** Likewise, for one that has joined and never started: it has no name yet. `memberId` in decimal digits. */
    deleteMemberById(memberId: string): Promise<void>;
    /**
     * Who leads, and for how long. Does not reject for want of a leader, but where there is no quorum. Read it before and after what shall count:
     * the same `term` means that one leader answered all of it.
     */
    leadership(): Promise<PdLeadership>;
    /**
     * Names of the schedulers that PD runs. After an election it has not loaded them yet and says none, or only those
     * begun since: it has where `balance-leader-scheduler` is among them. `PD_NOT_BOOTSTRAPPED` before the first store.
     */
    schedulers(): Promise<string[]>;
    /** How many regions PD knows. Right at once after an election. */
    regionCount(): Promise<number>;
    /**
     * Asks PD's leader itself how many regions are short of something. Undefined where another member answered. After an
     * election the numbers are those of an earlier leadership or zeros until PD has counted, so they are evidence only from
     * a leadership that has been held for a while.
     */
    regionStatus(): Promise<PdRegionStatus | undefined>;
    /** All regions that a check finds. PD sends them whole, about 500 bytes each: look at `regionStatus` first. */
    regionsShortOf(kind: PdRegionCheck): Promise<PdRegion[]>;
    /** All regions that have a peer on a store. PD sends them whole: look at the store's `regionCount` first. */
    regionsOfStore(id: number): Promise<PdRegion[]>;
    /** All stores but the Tombstone ones. `PD_NOT_BOOTSTRAPPED` where no store ever started. */
    stores(): Promise<PdStore[]>;
    /** The stores whose data has left them. `PD_NOT_BOOTSTRAPPED` where no store ever started. */
    tombstoneStores(): Promise<PdStore[]>;
    /** One store, in whatever state; undefined where PD does not know it or is not bootstrapped. */
    store(id: number): Promise<PdStore | undefined>;
    /**
     * Sets a store Offline: its regions move away, then it is Tombstone. One that is Offline or Tombstone stays so:
     * success. An unknown one is `PD_NOT_FOUND`. PD takes one store more than it can do without: refuse that before.
     */
    deleteStore(id: number): Promise<void>;
    /** Takes `deleteStore` back, while the store is Offline. An unknown one is `PD_NOT_FOUND`. */
    setStoreUp(id: number): Promise<void>;
    replication(): Promise<PdReplication>;
    /** All placement rules. Undefined where they are switched off: then `maxReplicas` alone counts. */
    placementRules(): Promise<PdPlacementRule[] | undefined>;
    /**
     * The stores that leaders are kept from, ascending. Undefined where PD has no list (404): nobody is evicted, or PD has
     * not loaded its schedulers yet. `schedulers()` tells the two apart.
     */
    evictedStores(): Promise<number[] | undefined>;
    /**
     * The stores whose eviction PD keeps, ascending: those that its next leader will evict. `PD_NOT_READY` where etcd's
     * gateway is off and PD has not loaded its schedulers.
     */
    persistedEvictions(): Promise<number[]>;
    /**
     * Begins to move leaders off a store, and sees that PD lists it and that no other store's eviction got lost. Done
     * already is success; an unknown store is `PD_NOT_FOUND`. `PD_NOT_READY` while PD has not loaded its schedulers: it
     * would erase the evictions of others.
     */
    beginLeaderEviction(storeId: number): Promise<void>;
    /**
     * Lets leaders return to a store, and sees that neither PD's list nor its etcd has the eviction any more. Gone already
     * is success. `PD_NOT_READY` while PD has not loaded its schedulers: it would load the eviction again.
     */
    endLeaderEviction(storeId: number): Promise<void>;
    /** How many regions PD finds in a check. PD sends them whole: look at `regionStatus` first. A zero of `down-peer` says little while stores do not report. */
    regionsInCheck(kind: PdRegionCheck): Promise<number>;
    /**
     * Asks the endpoint of that name, and no other, whether the member has loaded its regions. A PD that does not know
     * the question is ready (404). Rejects with `PD_UNREACHABLE` where the member itself does not answer.
     */
    memberReady(memberName: string): Promise<boolean>;
    /** The servers of a microservice (`tso`, `scheduling`). None where PD has none registered, and where it runs as one. */
    serviceMembers(service: string): Promise<PdServiceMember[]>;
    /** Lists the pumps that ever registered, those that are offline too. */
    pumps(): Promise<PdPump[]>;
    /** The address of a microservice's primary; undefined while it has none. */
    servicePrimary(service: string): Promise<string | undefined>;
    /**
     * Submits that another server becomes the microservice's primary. The endpoints are those of its servers, not PD's.
     * Look at `servicePrimary` of PD until it is seen.
     */
    transferPrimary(service: string, toName: string): Promise<void>;
    /**
     * Begins a maintenance task, of which a cluster has one at a time. One that was begun before is begun. Else says
     * whose runs; `unknown` where this PD has no such lock (8.5 and older).
     */
    beginMaintenance(task: PdMaintenanceTask): Promise<"begun" | "unknown" | PdMaintenanceTask>;
    /** Ends a maintenance task. Gone already is success. */
    endMaintenance(task: Pick<PdMaintenanceTask, "type" | "id">): Promise<void>;
    /**
     * Makes a lease in PD's etcd: keys put under it go when nobody keeps it alive for so long, 5 s at least. This and the calls below
     * reject with `PD_NO_GATEWAY` where PD does not serve etcd over HTTP.
     * @returns its id, 64 bits in decimal digits
     */
    grantLease(ttlSeconds: number): Promise<string>;
    /** Starts a lease's time anew. False where it has ended already. */
    keepLeaseAlive(leaseId: string): Promise<boolean>;
    /** Ends a lease and the keys under it. Ended already is success. */
    revokeLease(leaseId: string): Promise<void>;
    /**
     * Puts a key into PD's etcd where there is none of the name. One that is there under the same lease is held. A lease
     * that has ended is `PD_NOT_FOUND`.
     */
    putIfAbsent(key: string, value: string, leaseId: string): Promise<PdHeld>;
    /** A key of PD's etcd; undefined where there is none. */
    readKey(key: string): Promise<PdKey | undefined>;
    /** PD's own version, as `v8.5.4`. */
    version(): Promise<string>;
    /** Ends the connections. Calls that run fail; calls made afterwards are refused. */
    close(): void;
}
