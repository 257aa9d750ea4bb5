import { type Fact, notAsked, type NotKnown, notKnown, type Said } from "./evidence";
import type { FixedFields } from "./fixedFields";

/** A member that this package deploys and gates. Its name is the value of `app.kubernetes.io/component`. */
export type Component = "tso" | "scheduling" | "pd" | "tiflash" | "tikv" | "tidb" | "tiproxy" | "pump" | "ticdc";

/** A member that is a part of PD. */
export type Microservice = Extract<Component, "tso" | "scheduling">;

/**
 * The member's own container in a pod; sidecars do not count. `not-started`: it has never run in this pod.
 * `startedAt` is by the clock of the pod's node.
 */
export type ContainerState = { is: "running"; startedAt: number } | { is: "stopped" } | { is: "not-started" };

/** One pod of a member's StatefulSet, as the API server last showed it. Times are milliseconds since 1970. */
export interface ObservedPod {
    /** The name decides which ordinal it is; labels do not. */
    name: string;
    ordinal: number;
    uid: string;
    /** Of the object when it was read: it is deleted only as it was seen. */
    resourceVersion: string;
    /** `controller-revision-hash`: the revision of the template that the pod was made from. */
    revision?: string;
    /** Whether the whole pod is Ready, sidecars too. */
    ready: boolean;
    /** Since when this run has seen it Ready whenever it looked, by its own clock. */
    readySince?: number;
    /** The member's own container. Known only from a node that is Ready: another one may run what it no longer reports. */
    container: Fact<ContainerState>;
    /** The latest moment at which it can have been made: what is older than this may be from before it. */
    createdAt: number;
    terminating: boolean;
    /** When its graceful shutdown was begun, where that comes before its end; kept in an annotation of the pod. */
    shutdownBegunAt?: number;
    /** What keeps the member's own container from starting, in Kubernetes' own words: the scheduler's reason, ImagePullBackOff, … */
    trouble?: string;
    /** What is wrong with its other containers, in the same words. It takes nothing down and holds nothing up. */
    sidecarTrouble?: string;
}

/** A PersistentVolumeClaim of one pod. */
export interface ObservedClaim {
    name: string;
    uid: string;
    ordinal: number;
    /** Set when a scale-in gave the volume up: the ordinal's next pod must start with an empty one. */
    released: boolean;
    /** Deleted already, and kept by the pod that uses it. */
    terminating: boolean;
}

/** A member's StatefulSet. `undefined` wherever it appears means that there is none yet. */
export interface ObservedStatefulSet {
    name: string;
    uid: string;
    /** Deleted already, and there until its pods have ended. */
    terminating: boolean;
    replicas: number;
    /** The revision that a pod created now would get. */
    updateRevision?: string;
    /** Whether the controller has seen the newest generation: until then `updateRevision` may be the one before. */
    settled: boolean;
    /** Digest of the rendered template, as this package noted it on the object. */
    templateRevision?: string;
    fixed: FixedFields;
}

export interface ObservedMember {
    component: Component;
    statefulSet?: ObservedStatefulSet;
    /** Ascending by ordinal. */
    pods: ObservedPod[];
    claims: ObservedClaim[];
}

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
    engine: "tikv" | "tiflash";
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

/** TiCDC, as its captures say it themselves. */
export interface ObservedCaptures {
    /** By pod: its capture, or why it could not be asked. */
    byPod: Record<string, { id: string; version: string } | { trouble: string }>;
    /** All captures, those of other clusters too; `unsupported` by a version that cannot list them. */
    list: { id: string; isOwner: boolean }[] | "unsupported" | { trouble: string };
    /** Why the owner calls TiCDC unwell; `undefined` where it does not. */
    ownerTrouble?: string;
    /** By UID of a pod: tables that its capture still had when it was last told to move them. */
    tablesLeft: Record<string, number>;
}

/** Whether root has the password that the cluster's Secret holds. The password itself is never part of an observation. */
export interface ObservedRootPassword {
    secret: "absent" | "without-password" | "there";
    /** As noted on the Secret: its password was set, or root had another one and was left alone. */
    noted?: "set" | "left-alone";
    /** With what root can log in, or why that could not be tried; `undefined` where it was not asked. */
    login?: { pod: string; uid: string; with: "nothing" | "secret" | "neither" } | { trouble: string };
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
        microservices: { tso: why, scheduling: why },
        pumps: why,
    };
}

/** Why PD could not be asked. */
export interface PdTrouble {
    why: string;
    /** Whether it can never become right by waiting: what answers is not a PD, or writes what no PD writes. */
    isFinal: boolean;
}

/** An eviction of a store's leaders that this package began; kept in the cluster's Lease until PD has let go of it for good. */
export interface EvictionRecord {
    pod: string;
    /** By the clock of the machine that began it: for people. Nothing is decided from it. */
    begunAt: number;
    leadersBefore: number;
    /** When it was ended, likewise for people. */
    endedAt?: number;
    /** Leadership of PD under which it was ended: looked at again under the next one. */
    endedUnder?: string;
    /** Whether PD was seen to have let go of it: an eviction of that store is somebody else's from then on. */
    isGone?: boolean;
    /** Whether PD's leadership was moved because PD kept the store paused after the eviction had ended (tikv/pd#9185). */
    unpaused?: boolean;
}

/** A store or member that this package told PD to remove; kept in the cluster's Lease until it is gone or taken back. */
export interface RemovalRecord {
    pod: string;
    begunAt: number;
}

/** What this package must not forget when its process dies; lives in annotations of the cluster's Lease. */
export interface OperationRecords {
    evictions: Record<string, EvictionRecord>;
    /** By store id, or by the name of a PD member. */
    removals: Record<string, RemovalRecord>;
}

/** Everything that a decision is made from. Deciding takes nothing else: no clock, no network. */
export interface Observation {
    now: number;
    /** Name of the TidbCluster, the prefix of its objects' names. */
    cluster: string;
    /** Members that were read; one that is missing here was not asked for. */
    members: Partial<Record<Component, ObservedMember>>;
    pd: ObservedPd;
    /** Leaders that a store itself says it has (`tikv_raftstore_region_count`), by name of its pod. */
    ownLeaders: Record<string, Fact<number>>;
    heartbeats: Fact<ObservedHeartbeats>;
    /** Id of the PD that the cluster's data are known to, from its Lease; `undefined` until the cluster was first well. */
    pdClusterId?: string;
    /** Why PD could not be asked, where it could not. */
    pdTrouble?: PdTrouble;
    records: OperationRecords;
    /** Who asked last, at any time, that a run end at its next safe point. */
    stopRequest?: string;
    /** Who else operates the cluster now, and what they do; `undefined` when nobody else does. */
    operatedBy?: string;
    /** Name of a pod that was asked itself → what was wrong; `null` when it is well. */
    podStatus?: Record<string, string | null>;
    captures?: ObservedCaptures;
    rootPassword?: ObservedRootPassword;
}

/** @returns the observation of a cluster of which nothing was asked yet. */
export function nothingObserved(cluster: string, now: number): Observation {
    return {
        now,
        cluster,
        members: {},
        pd: unknownPd(),
        ownLeaders: {},
        heartbeats: notAsked,
        records: noRecords(),
    };
}

/** @returns PD's part of an observation where PD could not be asked. */
export function silentPd(why: string, isFinal = false): Pick<Observation, "pd" | "pdTrouble"> {
    return { pd: unknownPd(notKnown(why)), pdTrouble: { why, isFinal } };
}

/** @returns records that hold nothing. */
export function noRecords(): OperationRecords {
    return { evictions: {}, removals: {} };
}
