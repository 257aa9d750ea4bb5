import type { PdMaintenanceTask } from "./maintenance";

/** One address at which PD can be asked. */
export interface PdEndpoint {
    /** The member's name as PD knows it, or an address: `memberReady` finds a member by it, and messages name it. */
    readonly name: string;
    /** `http://host:port` or `https://host:port`, without a path. */
    readonly url: string;
    /** The name that the server's certificate is checked against. Default: the host of `url`. */
    readonly servername?: string;
    /** Other names of the same server: its certificate is good where it covers one of them, or `servername`. */
    readonly otherNames?: readonly string[];
}

/** Mutual TLS with PD, each as PEM text. */
export interface PdTls {
    /** Certificates of the authorities that PD's certificate is checked against. */
    readonly ca: string;
    /** The client's certificate, for a PD that asks for one. */
    readonly cert?: string;
    /** The private key of `cert`. */
    readonly key?: string;
}

/** How to reach the PD of one cluster. */
export interface PdClientOptions {
    /** The members to ask, in the order to try them. At least one. */
    readonly endpoints: readonly PdEndpoint[];
    /** Needed for `https` addresses whose authority the system does not know. Refused beside an `http` address. */
    readonly tls?: PdTls;
    /**
     * How long one request may take, from the connection to the last byte of the answer. A call that asks several
     * members takes twice as long at most: those after the first share the second half.
     * @default 5000 (tidb-operator pkg/pdapi/pd_control.go)
     */
    readonly timeoutMilliseconds?: number;
    /**
     * How long a connection may take until it can carry a request, TLS included.
     * @default 2000, or `timeoutMilliseconds` where that is shorter
     */
    readonly connectTimeoutMilliseconds?: number;
}

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
    /** Regions that it leads. */
    readonly leaderCount: number;
    /** Regions of which it holds a peer. */
    readonly regionCount: number;
    /** Undefined for a store that never reported. */
    readonly lastHeartbeat?: Date;
    /** PD rounds it to four digits. */
    readonly capacityBytes?: number;
    /** PD rounds it to four digits. */
    readonly availableBytes?: number;
    /** Peers that lag behind their leader. PD leaves out a zero. */
    readonly pendingPeerCount?: number;
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

/** The kinds of `regions/check` that tell whether a region is short of peers. */
export type PdRegionCheck = "miss-peer" | "down-peer" | "pending-peer";

/**
 * PD's HTTP API, as far as operating a cluster needs it. Every method rejects with a `PdError`; only what differs from
 * the plain case is said at each.
 */
export interface PdClient {
    /** Requests sent since the client was made, repeats included. */
    readonly calls: number;
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
    /** All stores but the Tombstone ones. None where no store ever started (PD is not bootstrapped). */
    stores(): Promise<PdStore[]>;
    /** The stores whose data has left them. None where PD is not bootstrapped. */
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
    /** The most TiFlash replicas that a table has, as TiDB states it in placement rules. 0 where there are none. */
    tiflashReplicas(): Promise<number>;
    /** The stores that leaders are kept from. None where nobody is evicted. Ascending. */
    evictedStores(): Promise<number[]>;
    /** Begins to move leaders off a store. Done already is success; an unknown store is `PD_NOT_FOUND`. */
    beginLeaderEviction(storeId: number): Promise<void>;
    /** Lets leaders return to a store, and sees that PD forgot the eviction. Gone already is success. */
    endLeaderEviction(storeId: number): Promise<void>;
    /** How many regions PD finds in a check. A zero of `down-peer` says little while stores do not report. */
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
    /** PD's own version, as `v8.5.4`. */
    version(): Promise<string>;
    /** Ends the connections. Calls that run fail; calls made afterwards are refused. */
    close(): void;
}
