import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Component } from "../../../topology/members";
import type { ClusterKey } from "./clusterKey";
import type { Fault, ListFault } from "./fault";

/**
 * The truth of the model, as plain data that can be copied: one PD, its stores and regions, and the Kubernetes of each
 * TidbCluster on it. Times are milliseconds of a single true time, which no process in the model can read.
 */
export interface World {
    /** How volumes grow: how long the driver takes, in milliseconds, and whether only a new pod enlarges the file system. Default: a moment, and it does not. */
    driver?: { readonly takes: number; readonly needsNewPods: boolean };
    now: number;
    nextId: number;
    /** The cluster under test, and another cluster whose stores join the same PD. */
    clusters: Record<ClusterKey, Kubernetes>;
    pd: Pd;
    stores: Store[];
    regions: Region[];
    /** How often stores report, by TiKV's configuration. */
    heartbeats: { region: number; store: number };
    /** Whether a TiKV that reconnects to PD reports all its regions at once (R), or each at its next heartbeat (T). */
    reconnects: "R" | "T";
    /** How late a watch hears of what changes in Kubernetes, in milliseconds; undefined if watches do not work. */
    watchLag: number | undefined;
    /** The number of real regions that one region of the model stands for. */
    weight: number;
    maxReplicas: number;
    /** The number of zones of TiKV's stores, which PD tells apart by their label; 0 if PD has no location labels. */
    zones: number;
    /** The longest that Pulumi takes from a gate's end to its next write, and that a pod takes to start for the first time, in milliseconds. */
    delays: Delays;
    /** State of the model's own source of chance, so a world that is copied repeats itself. */
    chance: number;
    /** How long PD's checker takes to look at all regions once. */
    patrolSeconds: number;
    /** The number of TiFlash replicas of the tables. */
    tiflashReplicas: number;
    faults: Fault[];
    /** Until then, new evictions are accepted but no leaders move. */
    evictionsStuckUntil: number;
    /** The broken promises of docs/safety.md. */
    violations: string[];
    log: string[];
}

export interface Delays {
    write: number;
    /** Default: it starts as fast as later. */
    start?: number;
    /** One login in twenty takes this long, until the faults are over. Default: none does. */
    login?: number;
}

export type Owner = ClusterKey | "somebody";

/** A server that answers requests. */
export interface Server {
    /** How long a request takes to arrive. */
    latency: number;
    slowUntil: number;
    unreachableUntil: number;
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
    /** What Pulumi's state has of each StatefulSet. It does not see what others change. */
    applied: Partial<Record<Component, { replicas: number; revision: string }>>;
    pods: Pod[];
    claims: Claim[];
    nodes: Record<string, Node>;
    /** Until when no other node has room for a pod, and since when. Default: never. */
    fullUntil?: number;
    fullSince?: number;
    lease: V1Lease;
    /** Whether TiDB was told that it is being upgraded. */
    isUpgrading: boolean;
    /** The labels of TiDB's servers, by the UIDs of their pods. */
    serverLabels: Map<string, Readonly<Record<string, string>>>;
    /** Revisions whose image never starts, or `<component> <revision>`. */
    badRevisions: Set<string>;
    /** What its program currently asks for. The rules judge by it. */
    wanted: Partial<Record<Component, number>>;
    /** The user's deadline for leaders, if there is one. */
    evictDeadlineSeconds: number | undefined;
    /** How many TiDB pods its program lets runs take down at once. */
    mostTidbDown: number;
    /** The TiDB pods that runs have taken down, and that have not run since. */
    tidbTakenDown: Set<string>;
}

export interface StatefulSet {
    replicas: number;
    revision: string;
    /** What the controller has observed, and when it observes the newest change. */
    seen: { replicas: number; revision: string };
    seenAt: number;
    /** Whether gates have changed the number of replicas since an update applied it. */
    gatesOwnReplicas?: boolean;
    /** The size in its claim template. Default: none is played. */
    size?: string;
    /** Its other claim templates, whose claims are not played, and those that its pod template mounts. Default: none. */
    volumes?: readonly string[];
    mounts?: readonly string[];
    /** How often it was created again. Default: never. */
    remade?: number;
    /** Whether it is deleted without its pods, and a finalizer keeps it: its controller does nothing. */
    isHeld?: true;
}

export interface Node {
    /** How far its clock is ahead of the true time. */
    clock: number;
    /** Until when it is cut off from the API server. Its processes continue unless the node is down. */
    cutUntil: number;
    cutSince: number;
    downUntil: number;
    /** Until when it is cordoned, and since when. Default: never. */
    cordonedUntil?: number;
    cordonedSince?: number;
}

export interface Pod {
    name: string;
    component: Component;
    ordinal: number;
    uid: string;
    resourceVersion: string;
    claim: string;
    /** The other volumes that it has. */
    volumes: readonly string[];
    revision: string;
    node: string;
    createdAt: number;
    startsAt: number;
    stopsAt?: number;
    crashedUntil: number;
    sidecarDownUntil: number;
    /** Since when its own container runs. Undefined while it does not. */
    runsSince?: number;
    /** Since when it does not run. Set only if it ran before. */
    downSince?: number;
    downBy?: "container" | "node";
    /** The status that its node last reported to the API server. */
    reported: {
        container: "not-started" | "running" | "stopped";
        startedAt: number;
        ready: boolean;
        /** Since when it is Ready, or is not. */
        readySince: number;
    };
}

export interface Claim {
    name: string;
    uid: string;
    component: Component;
    ordinal: number;
    released: boolean;
    releasedId?: string;
    terminating: boolean;
    /** The version recorded on it. The model's images have the revision as their tag. */
    version?: string;
    tls?: boolean;
    /** Whether it has the labels of a StatefulSet. A claim created in advance has none. */
    isLabelled: boolean;
    /** Whether it is marked as one whose volume is to be replaced. */
    outdated?: string;
    /** The size that it requests, and that its file system has. Default: none is played. */
    size?: string;
    capacity?: string;
    /** When its driver has enlarged the volume. Default: it does not grow. */
    growsAt?: number;
    /** Since when its file system waits for a new pod. Default: it does not. */
    waitsSince?: number;
}

export interface Member {
    name: string;
    memberId: string;
    claim: string;
    /** How far its clock is ahead of PD's. */
    clock: number;
}

/** What the leader of one PD leadership knows from reports. */
export interface Leadership {
    leader: string;
    term: number;
    beganAt: number;
    /** By PD's clock. */
    since: number;
    isLoaded: boolean;
    /** The stores under eviction, once loaded. */
    evicted: Set<number>;
    /** The stores that it keeps leaders away from although their eviction has ended (tikv/pd#9185). */
    paused: Set<number>;
    heard: Map<number, Heard>;
    /** The last heartbeats of stores, by its own clock. */
    stores: Map<number, number>;
    /** The stores that have reconnected to it. */
    connected: Set<number>;
    status: { missPeer: number; downPeer: number; pendingPeer: number };
    /** Its count of regions by isolation; undefined until its first one with schedulers. */
    isolation?: Record<string, number>;
    /** When its checker's last round ended, and what it saw; before the first one, when that began. */
    patrol?: { at: number; isolation?: Record<string, number> };
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
    /** The evictions in its etcd, by store, with their owner. */
    evictions: Map<number, { owner: Owner; since: number }>;
    /** Its limits of moving leaders, in its etcd. The batch is that of its evict-leader scheduler, and goes with it. */
    limits: { schedule: number; batch: number };
    /** Who set `schedule` last, and when; what it is to be once no run has raised it. */
    schedule: { by: Owner; since: number; bySomebody: number };
    keepsPaused: boolean;
    list?: ListFault;
    /** Its gateway to etcd: the leases, and the one key that the model puts there. */
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
    /** Those that were set in PD. Default: none. */
    labels?: Readonly<Record<string, string>>;
    /** By its node's clock, as reported to PD. */
    startedAt: number;
    /** The true time of its last report to PD. */
    reportedAt: number;
    nextHeartbeat: number;
    /** The leaders that its process counted when it last refreshed its gauge. Undefined before the first time. */
    gauge?: number;
    nextGauge: number;
    gaugeGoneUntil: number;
    /** Until when, and since when, it calls itself busy. */
    busy?: { since: number; until: number };
    runsSince?: number;
    /** Whether a run has taken it down, and it has not started since. */
    isTakenDown?: true;
    /** Since when its process does not run, and why. */
    down?: { since: number; by: "container" | "node" };
    /** Since when it has led regions without interruption. */
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
    /** A voter is missing until then. */
    shortUntil: number;
    /** Joint consensus lasts at least until then. */
    jointUntil: number;
    /** Its peers elect no leader until then, though a majority runs. */
    leaderlessUntil: number;
}

/** The start of the model's time. */
export const startMilliseconds = 1_700_000_000_000;
