import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Component } from "../../../topology/members";
import type { ClusterKey } from "./clusterKey";
import type { Fault, ListFault } from "./fault";

/**
 * The model's truth, as plain data that can be copied: one PD, the stores and regions that it knows, and the Kubernetes of
 * each TidbCluster on it. Times are milliseconds of one true time, which nobody in the model can read.
 */
export interface World {
    now: number;
    nextId: number;
    /** The cluster that is tested, and another one whose stores join the same PD. */
    clusters: Record<ClusterKey, Kubernetes>;
    pd: Pd;
    stores: Store[];
    regions: Region[];
    /** How often stores report, as TiKV is configured. */
    heartbeats: { region: number; store: number };
    /** Whether a TiKV that reconnects to PD tells of all its regions at once (R), or of each at its next turn (T). */
    reconnects: "R" | "T";
    /** Each region of the model stands for so many. */
    weight: number;
    maxReplicas: number;
    /** TiFlash replicas of the tables. */
    tiflashReplicas: number;
    faults: Fault[];
    /** Evictions are begun, and carried out only later. */
    evictionsStuckUntil: number;
    /** Promises of docs/safety.md that were broken. */
    violations: string[];
    log: string[];
}

export type Owner = ClusterKey | "somebody";

/** What answers requests. */
export interface Server {
    /** How long a request takes to arrive. */
    latency: number;
    slowUntil: number;
    silentUntil: number;
}

/** The Kubernetes of one TidbCluster. */
export interface Kubernetes extends Server {
    key: ClusterKey;
    name: string;
    namespace: string;
    domain?: string;
    /** How far its clock is ahead of the true time. */
    clock: number;
    revision: number;
    statefulSets: Partial<Record<Component, StatefulSet>>;
    pods: Pod[];
    claims: Claim[];
    nodes: Record<string, Node>;
    lease: V1Lease;
    /** Revisions whose image never starts, or `<component> <revision>`. */
    badRevisions: Set<string>;
    /** What its program asks for now; the rules judge by it. */
    wanted: Partial<Record<Component, number>>;
    /** The user's deadline for leaders, where there is one. */
    evictDeadlineSeconds: number | undefined;
}

export interface StatefulSet {
    replicas: number;
    revision: string;
    /** What the controller has caught up with, and when it does with the newest. */
    seen: { replicas: number; revision: string };
    seenAt: number;
}

export interface Node {
    /** How far its clock is ahead of the true time. */
    clock: number;
    /** Until when it is cut off from the API server. Its processes go on, unless it is down. */
    cutUntil: number;
    cutSince: number;
    downUntil: number;
}

export interface Pod {
    name: string;
    component: Component;
    ordinal: number;
    uid: string;
    resourceVersion: string;
    claim: string;
    revision: string;
    node: string;
    createdAt: number;
    startsAt: number;
    stopsAt?: number;
    crashedUntil: number;
    sidecarDownUntil: number;
    /** Since when its own container runs; undefined while it does not. */
    runsSince?: number;
    /** Since when it does not run, where it has run. */
    downSince?: number;
    downBy?: "container" | "node";
    /** What its node last told the API server. */
    reported: {
        container: "not-started" | "running" | "stopped";
        startedAt: number;
        ready: boolean;
        readySince: number;
    };
}

export interface Claim {
    name: string;
    uid: string;
    component: Component;
    ordinal: number;
    released: boolean;
    terminating: boolean;
    /** Whether it has the labels that a StatefulSet gives: one that was made beforehand has none. */
    isLabelled: boolean;
}

export interface Member {
    name: string;
    memberId: string;
    claim: string;
    /** How far its clock is ahead of PD's. */
    clock: number;
}

/** What one leadership of PD knows: what was reported to it. */
export interface Leadership {
    leader: string;
    term: number;
    beganAt: number;
    /** By PD's clock. */
    since: number;
    isLoaded: boolean;
    /** Stores under eviction, once loaded. */
    evicted: Set<number>;
    /** Stores that it keeps leaders away from though their eviction has ended (tikv/pd#9185). */
    paused: Set<number>;
    heard: Map<number, Heard>;
    /** Last heartbeats of stores, by its own clock. */
    stores: Map<number, number>;
    /** Stores that have reconnected to it. */
    connected: Set<number>;
    status: { missPeer: number; downPeer: number; pendingPeer: number };
    countedAt: number;
}

/** A region as its leader last reported it. */
export interface Heard {
    leader: number;
    peers: Peer[];
    behind: number[];
    down: number[];
}

export interface Pd extends Server {
    clusterId: string;
    /** How far its clock is ahead of the true time. */
    clock: number;
    members: Member[];
    removedClaims: Set<string>;
    leadership?: Leadership;
    lastLeadership?: Leadership;
    leaderlessSince?: number;
    transfer?: { to: string; at: number };
    terms: number;
    isBootstrapped: boolean;
    /** Evictions that its etcd keeps, by store, with whose they are. */
    evictions: Map<number, { owner: Owner; since: number }>;
    keepsPaused: boolean;
    list?: ListFault;
    /** Its gateway to etcd: leases and the one key that the model puts there. */
    leases: { id: string; ttl: number; endsAt: number }[];
    keys: { key: string; value: string; leaseId: string }[];
    revision: number;
    hasGateway: boolean;
}

export interface Store {
    id: number;
    of: ClusterKey;
    engine: "tikv" | "tiflash";
    podName: string;
    claim: string;
    phase: "Serving" | "Offline" | "Tombstone";
    /** By its node's clock, as it told PD. */
    startedAt: number;
    /** True time at which it last reached PD. */
    reportedAt: number;
    nextHeartbeat: number;
    /** Leaders, as it counted them at its last heartbeat; undefined before its first one. */
    gauge?: number;
    gaugeGoneUntil: number;
    runsSince?: number;
    /** Since when its process does not run, and why. */
    down?: { since: number; by: "container" | "node" };
    /** Since when it leads something, without a break. */
    leadsSince?: number;
}

export interface Peer {
    store: number;
    role: "voter" | "learner" | "incoming" | "demoting";
    /** Until when it lags behind, and since when. */
    behindUntil: number;
    behindSince: number;
}

export interface Region {
    id: number;
    peers: Peer[];
    leader?: number;
    leaderlessSince?: number;
    nextHeartbeat: number;
    /** Since when it has these peers. */
    changedAt: number;
    /** A voter is taken away, and given back then. */
    shortUntil: number;
    /** Joint consensus is not left before. */
    jointUntil: number;
}

/** When the model's time begins. */
export const startMilliseconds = 1_700_000_000_000;
