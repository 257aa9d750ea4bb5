import type { FixedFields } from "./fixedFields";

/** A member that this package deploys and gates. Its name is the value of `app.kubernetes.io/component`. */
export type Component = "tso" | "scheduling" | "pd" | "tiflash" | "tikv" | "tidb" | "tiproxy" | "pump" | "ticdc";

/** A member that is a part of PD. */
export type Microservice = Extract<Component, "tso" | "scheduling">;

/** One pod of a member's StatefulSet, as the API server last showed it. Times are milliseconds since 1970. */
export interface ObservedPod {
    name: string;
    ordinal: number;
    uid: string;
    /** `controller-revision-hash`: the revision of the template that the pod was made from. */
    revision?: string;
    ready: boolean;
    readySince?: number;
    /** The latest moment at which it can have been made: what is older than this may be from before it. */
    createdAt: number;
    terminating: boolean;
    /** When its graceful shutdown was begun, where that comes before its end; kept in an annotation of the pod. */
    shutdownBegunAt?: number;
    /** What keeps the pod from starting, in Kubernetes' own words: the scheduler's reason, ImagePullBackOff, … */
    trouble?: string;
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
    name: string;
    healthy: boolean;
}

/** A store as PD lists it. `podName` is the first label of its address. */
export interface ObservedStore {
    id: number;
    podName: string;
    /** False for a store of another cluster that shares this PD. */
    own: boolean;
    engine: "tikv" | "tiflash";
    state: string;
    leaderCount: number;
    regionCount: number;
    lastHeartbeat?: number;
}

/** Regions that could lose their majority with one more store down. Asked only before a store is taken down. */
export interface RegionsAtRisk {
    missPeer: number;
    downPeer: number;
    pendingPeer: number;
}

/** A server of a microservice, as PD lists it. */
export interface ObservedServer {
    /** Empty before version 8.3.0. */
    name: string;
    /** As `http://host:port`. */
    address: string;
}

/** A microservice, as PD knows it. */
export interface ObservedMicroservice {
    servers: ObservedServer[];
    /** Address of the one that serves; the others stand by. */
    primary?: string;
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

/** What PD answered. Parts that a decision does not need are not asked for and are `undefined`. */
export interface ObservedPd {
    /** In decimal digits: 64 bits. */
    clusterId?: string;
    members?: ObservedPdMember[];
    leader?: string;
    stores?: ObservedStore[];
    tombstones?: ObservedStore[];
    maxReplicas?: number;
    /** The most TiFlash replicas that a table has. */
    tiflashReplicas?: number;
    evictedStores?: number[];
    regionsAtRisk?: RegionsAtRisk;
    /** Member names whose own `/pd/api/v2/ready` said that they are ready. */
    readyMembers?: string[];
    microservices?: Partial<Record<Microservice, ObservedMicroservice>>;
    pumps?: ObservedPump[];
}

/** An eviction of a store's leaders that this package began; kept in the cluster's Lease until it is ended. */
export interface EvictionRecord {
    pod: string;
    begunAt: number;
    leadersBefore: number;
    endedAt?: number;
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
    members: Partial<Record<Component, ObservedMember>>;
    pd?: ObservedPd;
    /** Id of the PD that the cluster's data are known to, from its Lease; `undefined` until the cluster was first well. */
    pdClusterId?: string;
    /** Why PD could not be asked, where it could not. */
    pdTrouble?: string;
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

/** @returns records that hold nothing. */
export function noRecords(): OperationRecords {
    return { evictions: {}, removals: {} };
}
