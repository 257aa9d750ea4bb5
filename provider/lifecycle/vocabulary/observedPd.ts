import { type Engine, type Microservice, microservices } from "../../../topology/members";
import { type Fact, notAsked, type NotKnown, type Said } from "./evidence";

/** What of PD, its stores and its regions decisions are made from. */

/** A member of PD, as PD lists it. */
export interface ObservedPdMember {
    /** Empty for a member that was added and never started. */
    name: string;
    /** 64 bits, in decimal digits. */
    memberId: string;
    healthy: boolean;
    /** The pod of this cluster that it runs in, by its name, or by its peer URL where it has no name yet; undefined for a member elsewhere. */
    podName?: string;
}

/** A store as PD lists it. `podName` is the first label of its address. */
export interface ObservedStore {
    id: number;
    podName: string;
    /** Where it says that it is reached: `host:port`. */
    address: string;
    /** False for a store of another cluster that shares this PD: another name, namespace or domain. */
    own: boolean;
    engine: Engine;
    state: string;
    labels: Readonly<Record<string, string>>;
    /** Leaders, as PD counts them. After an election the count is too low for up to a minute: see `soundLeaders`. */
    leaderCount: Said<number>;
    regionCount: number;
    /** By PD's clock. Undefined for a store that never reported. */
    lastHeartbeat?: number;
    /** When the store's process started, by the clock of its own node. */
    startedAt?: number;
    /** Peers on it that lag behind their leader. */
    pendingPeers: number;
}

/** Who leads PD, and for how long. */
export interface ObservedLeadership {
    leader: string;
    /** Differs from one leadership to the next, also where the same member leads again. */
    term: string;
    /** At least so long, in milliseconds. */
    heldFor: number;
    /** When it began, at the latest, by PD's clock; undefined where only this run's own watch knows. */
    since?: number;
    /** Whether it was the same leadership after everything else of this look was read. */
    isSteady: boolean;
    /** Whether PD has loaded its schedulers. Until then its list of evictions is not one. */
    hasSchedulers: boolean;
    /** Regions that PD knows, which needs no heartbeat. */
    regionCount: number;
}

/** How many regions PD counts as short of something, by its gauge `pd_regions_status`. */
export interface RegionStatus {
    missPeer: number;
    downPeer: number;
    pendingPeer: number;
}

/** A region as far as its majority is concerned. */
export interface ObservedRegion {
    id: number;
    peers: ObservedPeer[];
}

export interface ObservedPeer {
    storeId: number;
    /** `incoming` and `demoting` are voters of the new and of the old configuration while it changes (joint consensus). */
    role: "voter" | "learner" | "incoming" | "demoting";
    /** It lags behind, or its leader calls it down: it does not count in a majority. */
    isBehind: boolean;
}

/** Regions that lack something, or all that have a peer on one store: what was listed says which. */
export interface ShortRegions {
    regions: ObservedRegion[];
    /** The store whose regions these are; undefined where they are all that PD counts as short of something. */
    ofStore?: number;
}

/** One of PD's placement rules, as far as it says how many stores there must be. */
export interface PlacementRule {
    group: string;
    id: string;
    role: "voter" | "leader" | "follower" | "learner";
    count: number;
    constraints: { key: string; op: "in" | "notIn" | "exists" | "notExists"; values: string[] }[];
    /** Key range in hexadecimal digits; empty for no bound. */
    startKey: string;
    endKey: string;
}

/** How PD spreads copies. */
export interface ObservedPlacement {
    maxReplicas: number;
    /** Undefined where placement rules are switched off: then `maxReplicas` alone counts. */
    rules?: PlacementRule[];
}

/** How often stores report, as a TiKV process of each revision says that it is configured. */
export interface ObservedHeartbeats {
    /** `raftstore.pd-heartbeat-tick-interval`, in milliseconds: how often each region's leader reports it. TiKV's default: 60 s. */
    region: number;
    /** `raftstore.pd-store-heartbeat-tick-interval`, in milliseconds: how often a store reports, and refreshes its gauges. Default: 10 s. */
    store: number;
}

/** A server of a microservice, as PD lists it. */
export interface ObservedServer {
    /** Empty before version 8.3.0. */
    name: string;
    /** As `http://host:port`. */
    address: string;
    /** The pod of this cluster that it runs in; undefined for one elsewhere. */
    podName?: string;
}

/** A microservice, as PD knows it. */
export interface ObservedMicroservice {
    servers: ObservedServer[];
    /** The one that serves; the others stand by. Undefined where PD knows none. */
    primary?: { address: string; podName?: string };
}

/** A pump, as it registered itself in PD. `podName` is the first label of its address. */
export interface ObservedPump {
    nodeId: string;
    podName: string;
    /** False for a pump of another cluster that shares this PD. */
    own: boolean;
    /** `online`, `pausing`, `paused`, `closing`, `offline`. */
    state: string;
}

/** What PD answered. What was not asked for, or not answered, is not known. */
export interface ObservedPd {
    /** In decimal digits: 64 bits. */
    clusterId: Fact<string>;
    members: Fact<ObservedPdMember[]>;
    /** Name of the leader; undefined where PD says that it has none. */
    leader: Fact<string | undefined>;
    leadership: Fact<ObservedLeadership>;
    /** All but the Tombstone ones. */
    stores: Fact<ObservedStore[]>;
    tombstones: Fact<ObservedStore[]>;
    placement: Fact<ObservedPlacement>;
    /** Stores under eviction. Known only from a PD that has loaded its schedulers. */
    evictedStores: Fact<number[]>;
    /** Stores whose eviction PD keeps in its etcd: those that the next leader will evict. */
    persistedEvictions: Fact<number[]>;
    regionStatus: Fact<RegionStatus>;
    shortRegions: Fact<ShortRegions>;
    /** Member names whose own `/pd/api/v2/ready` said that they are ready. */
    readyMembers: Fact<string[]>;
    microservices: Partial<Record<Microservice, Fact<ObservedMicroservice>>>;
    pumps: Fact<ObservedPump[]>;
}

/** @returns a PD of which nothing is known, for this reason. */
export function unknownPd(why: NotKnown = notAsked): ObservedPd {
    return {
        clusterId: why,
        members: why,
        leader: why,
        leadership: why,
        stores: why,
        tombstones: why,
        placement: why,
        evictedStores: why,
        persistedEvictions: why,
        regionStatus: why,
        shortRegions: why,
        readyMembers: why,
        microservices: Object.fromEntries(microservices.map((name) => [name, why])),
        pumps: why,
    };
}

/** Why PD could not be asked. */
export interface PdTrouble {
    why: string;
    /** Whether it can never become right by waiting: what answers is not a PD, or writes what no PD writes. */
    isFinal: boolean;
}
