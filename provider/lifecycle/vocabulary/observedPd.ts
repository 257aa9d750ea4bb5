import type { LogTask } from "./logTask";
import { type Engine, type Microservice, microservices } from "../../../topology/members";
import { type Fact, notAsked, type NotKnown, type Reported } from "./evidence";
import type { LeaderLimits } from "./leaderLimits";

/** The state of PD, its stores and its regions that decisions use. */

/** A member of PD, as PD lists it. */
export interface ObservedPdMember {
    /** Empty for a member that was added but never started. */
    name: string;
    /** 64 bits, in decimal digits. */
    memberId: string;
    healthy: boolean;
    /** Whether PD's list of health has no entry for it, so `healthy: false` says nothing. Default: it has one. */
    lacksHealth?: true;
    /** Its pod in this cluster, found by its name and its peer URL; undefined for a member elsewhere, or one of which that is not known. */
    podName?: string;
    /** Whether its peer URL, which was asked for, names no pod of this cluster's name and namespace. Default: not known. */
    isElsewhere?: true;
    /** The pod of this cluster whose peer URL it has, but under another domain than `spec.clusterDomain`. Default: none. */
    otherDomain?: OtherDomain;
    /** The domain of its host, where it is a pod of this cluster. Default: none. */
    domain?: string;
    /** The version of its server, as that said when it last started. Default: not known. */
    version?: string;
}

/** A host name of this cluster's own pod, under another domain: from before `spec.clusterDomain` changed, or of a twin in another Kubernetes cluster. */
export interface OtherDomain {
    readonly podName: string;
    /** Empty for none. */
    readonly domain: string;
}

/** A store as PD lists it. `podName` is the first label of its address. */
export interface ObservedStore {
    id: number;
    podName: string;
    /** The address that it registered: `host:port`. */
    address: string;
    /** False for a store of another cluster that shares this PD, with another name, namespace or domain. */
    own: boolean;
    /** The pod of this cluster whose address it has, but under another domain than `spec.clusterDomain`. Default: none. */
    otherDomain?: OtherDomain;
    /** The domain of its address, where it is the cluster's own. Default: none. */
    domain?: string;
    engine: Engine;
    state: string;
    labels: Readonly<Record<string, string>>;
    /** Leaders as counted by PD. After an election the count is too low for up to a minute: see `soundLeaders`. */
    leaderCount: Reported<number>;
    regionCount: number;
    /** By PD's clock. Undefined for a store that never sent a heartbeat. */
    lastHeartbeat?: number;
    /** When the store's process started, by its node's clock. */
    startedAt?: number;
    /** The version of that process, as it says. Default: not known. */
    version?: string;
    /** Peers on it that lag behind their leader. */
    pendingPeers: number;
    /** Its own signs that it is slow: its slow score, from 1 to 100, and whether it calls itself busy. Default: none. */
    slow?: { readonly score: number; readonly isBusy: boolean };
    /** Size of its disk, as PD rounds it. Undefined if the store has not reported it. */
    capacityBytes?: number;
    /** Free space on its disk, likewise. */
    availableBytes?: number;
    /** How much its data takes, likewise. */
    usedBytes?: number;
}

/** Who leads PD, and for how long. */
export interface ObservedLeadership {
    leader: string;
    /** Identifies this leadership. It differs from one leadership to the next, even if the same member leads again. */
    term: string;
    /** The minimum time for which it has been held, in milliseconds. */
    heldFor: number;
    /** The latest time at which it can have begun, by PD's clock; undefined if only this run's own watch knows. */
    since?: number;
    /** Whether the leadership was still the same after the rest of the observation was read. */
    isSteady: boolean;
    /** Whether PD has loaded its schedulers. Until then its list of evictions is meaningless. */
    hasSchedulers: boolean;
    /** Number of regions that PD knows. It does not depend on heartbeats. */
    regionCount: number;
}

/**
 * @param except the store that is not looked at. Default: none.
 * @returns whether regions may have no leader: PD counts leaders on a store that is away, and a region with a majority would have another one.
 */
export function mayLackLeaders(stores: readonly ObservedStore[], except?: number): boolean {
    return stores.some(
        ({ id, state, leaderCount }) =>
            id !== except && (state === "Disconnected" || state === "Down") && leaderCount.reported > 0,
    );
}

/**
 * @returns whether only the leader's name is known of a leadership. Between two looks that are far apart the member may have
 * lost it and won it back.
 */
export function isKnownByName({ term }: Pick<ObservedLeadership, "term">): boolean {
    return term.startsWith("name:");
}

/** How many regions have a missing, down or pending peer, from PD's gauge `pd_regions_status`. */
export interface RegionStatus {
    missPeer: number;
    downPeer: number;
    pendingPeer: number;
    /** How many regions are isolated at which location label, `none` if at none. Default: PD does not report it yet. */
    isolation?: Readonly<Record<string, number>>;
    /** How long PD took to look at all regions once. Default: it has not said. */
    patrolSeconds?: number;
}

/** A region: what decides its majority, and what it holds. */
export interface ObservedRegion {
    id: number;
    peers: ObservedPeer[];
    /** First key, and the first key after it, as PD encodes them, in hexadecimal digits; empty for no bound. Undefined if PD left them out. */
    keys?: { start: string; end: string };
    /** As its leader last reported it. For people only. Undefined if PD left it out. */
    mebibytes?: number;
}

export interface ObservedPeer {
    storeId: number;
    /** `incoming` and `demoting` are voters of the new and the old configuration during a change (joint consensus). */
    role: "voter" | "learner" | "incoming" | "demoting";
    /** Whether it lags behind or its leader reports it down. Such a peer does not count towards a majority. */
    isBehind: boolean;
    /** Whether it votes and has no data, so it never leads. Default: it has. */
    isWitness?: true;
}

/** A list of regions: those with a missing, down or pending peer, or all with a peer on one store. */
export interface ShortRegions {
    regions: ObservedRegion[];
    /** The store whose regions are listed. If this and `ofStores` are undefined, the list has all regions with a missing, down or pending peer. */
    ofStore?: number;
    /** The stores whose regions are listed, each region once. */
    ofStores?: readonly number[];
}

/** An unsafe recovery: regions that lost their majority go on without their replicas on failed stores. */
export interface ObservedRecovery {
    /** `none`: PD's leader has begun none, and knows nothing of those of earlier leaders. */
    stage: "none" | "running" | "finished" | "failed";
    /** Ascending. Undefined if PD named none. */
    failedStores?: readonly number[];
    /** What PD last said of it. */
    report: string;
}

/** The part of a PD placement rule that determines how many stores are needed. */
export interface PlacementRule {
    group: string;
    id: string;
    role: "voter" | "leader" | "follower" | "learner";
    count: number;
    constraints: { key: string; op: "in" | "notIn" | "exists" | "notExists"; values: string[] }[];
    /** Key range in hexadecimal digits; empty for no bound. */
    startKey: string;
    endKey: string;
    /** Location labels down to the isolation level: no two stores of a region's peers may agree in them. Default: they may. */
    isolationLabels?: readonly string[];
}

/** How PD places replicas. */
export interface ObservedPlacement {
    maxReplicas: number;
    /** Undefined if placement rules are disabled. Then only `maxReplicas` counts. */
    rules?: PlacementRule[];
    /** The labels of stores that say where they are, the coarsest first (`replication.location-labels`). Default: none. */
    locationLabels?: readonly string[];
    /** As in a rule. Used if there is no rule for TiKV. */
    isolationLabels?: readonly string[];
    /** The share of a store's disk that may be used until PD moves no region to it (`schedule.low-space-ratio`). Default: not known. */
    lowSpaceRatio?: number;
}

/** How often stores report, from the configuration of one TiKV process of each revision. */
export interface ObservedHeartbeats {
    /** `raftstore.pd-heartbeat-tick-interval`, in milliseconds: how often each region's leader reports it. TiKV's default: 60 s. */
    region: number;
    /** `raftstore.pd-store-heartbeat-tick-interval`, in milliseconds: how often a store reports to PD. Default: 10 s. */
    store: number;
}

/** A server of a microservice, as PD lists it. */
export interface ObservedServer {
    /** Empty before version 8.3.0. */
    name: string;
    /** As `http://host:port`. */
    address: string;
    /** Its pod in this cluster; undefined for a server elsewhere. */
    podName?: string;
}

/** A microservice, as PD knows it. */
export interface ObservedMicroservice {
    servers: ObservedServer[];
    /** The active server; the others are standbys. Undefined if PD knows none. */
    primary?: { address: string; podName?: string };
}

/** A pump, as registered in PD. `podName` is the first label of its address. */
export interface ObservedPump {
    nodeId: string;
    podName: string;
    /** False for a pump of another cluster that shares this PD. */
    own: boolean;
    /** `online`, `pausing`, `paused`, `closing`, `offline`. */
    state: string;
}

/** What keeps runs and other tools from working on a PD. */
export interface ObservedPdLocks {
    /** This package's key in PD's etcd; undefined if there is none. */
    key?: {
        name: string;
        holder: string;
        operation: string;
        /** Whether a run on this cluster holds it, and not one on another cluster that shares this PD. */
        own: boolean;
        /** Whether it ends by itself once its holder no longer renews it. This package writes no other. */
        expires: boolean;
    };
    /** PD's maintenance tasks. They never expire. `own`: a run of this package on this cluster began it. */
    tasks: { name: string; description: string; own: boolean }[];
}

/** An eviction by PD itself, and how long it lasts at least, in seconds, where PD says so. */
export interface OwnEviction {
    readonly storeId: number;
    readonly scheduler: string;
    readonly recoverySeconds?: number;
}

/** The evictions that PD has begun by itself, each with PD's scheduler; and its schedulers of which it does not report the stores. */
export interface OwnEvictions {
    readonly evictions: readonly OwnEviction[];
    readonly unreported: readonly string[];
}

/** PD's answers. Anything not requested or not answered is not known. */
export interface ObservedPd {
    /** In decimal digits: 64 bits. */
    clusterId: Fact<string>;
    members: Fact<ObservedPdMember[]>;
    /** Name of the leader; undefined if PD reports none. */
    leader: Fact<string | undefined>;
    leadership: Fact<ObservedLeadership>;
    /** All stores except Tombstone ones. */
    stores: Fact<ObservedStore[]>;
    tombstones: Fact<ObservedStore[]>;
    placement: Fact<ObservedPlacement>;
    /** Those of the placement; empty if there are none. Also known where only they were asked for. */
    locationLabels: Fact<readonly string[]>;
    /** For how long a store must be silent until PD calls it Down, in milliseconds (`schedule.max-store-down-time`). */
    storeDownTime: Fact<number>;
    /** Stores under eviction. Known only from a PD that has loaded its schedulers. */
    evictedStores: Fact<number[]>;
    /** Stores whose leaders PD evicts by itself. Asked together with `evictedStores`. */
    ownEvictions: Fact<OwnEvictions>;
    /** Stores whose eviction PD keeps in its etcd, so the next leader will evict them. */
    persistedEvictions: Fact<number[]>;
    /** How fast leaders may move. */
    leaderLimits: Fact<LeaderLimits>;
    regionStatus: Fact<RegionStatus>;
    shortRegions: Fact<ShortRegions>;
    unsafeRecovery: Fact<ObservedRecovery>;
    /** Whether BR has marked the cluster as one that recovers from snapshots of volumes. */
    snapshotRecovering: Fact<boolean>;
    /** Names of the members whose own `/pd/api/v2/ready` reports ready. */
    readyMembers: Fact<string[]>;
    microservices: Partial<Record<Microservice, Fact<ObservedMicroservice>>>;
    pumps: Fact<ObservedPump[]>;
    locks: Fact<ObservedPdLocks>;
    /** Undefined if they were not requested, or nothing of PD is known. */
    logBackups?: Fact<readonly LogTask[]>;
}

/** @returns a PD state in which nothing is known, for the given reason. */
export function unknownPd(why: NotKnown = notAsked): ObservedPd {
    return {
        clusterId: why,
        members: why,
        leader: why,
        leadership: why,
        stores: why,
        tombstones: why,
        placement: why,
        locationLabels: why,
        storeDownTime: why,
        evictedStores: why,
        ownEvictions: why,
        persistedEvictions: why,
        leaderLimits: why,
        regionStatus: why,
        shortRegions: why,
        unsafeRecovery: why,
        snapshotRecovering: why,
        readyMembers: why,
        microservices: Object.fromEntries(microservices.map((name) => [name, why])),
        pumps: why,
        locks: why,
    };
}

/** Why PD could not be queried. */
export interface PdTrouble {
    why: string;
    /** Whether waiting cannot help, because the server is not a PD or its answers are invalid. */
    isFinal: boolean;
}
