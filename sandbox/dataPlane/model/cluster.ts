import type { Engine } from "../facts/addresses";
import type { Faults } from "../faults";
import type { Timings } from "../timings";
import type { Component, DataPlaneEvent, DataPlaneEventKind, Microservice, PdCall } from "./events";
import type { Etcd, Leadership } from "./pdState";

/** A pod as the data plane sees it. */
export interface PodObservation {
    name: string;
    uid: string;
    component: Component;
    /** Identity of the pod's data: the UID of its claim, or the pod's own where it has none. */
    claim: string;
    /** Phase Running and not being deleted. */
    running: boolean;
    /** Condition Ready and not being deleted. */
    ready: boolean;
    /** The image's tag, such as `v8.5.3`. */
    version: string;
    /** Of a pod of another TidbCluster that goes to this one's PD: its headless Service and its namespace. */
    elsewhere?: { service: string; namespace: string };
    /** Name of the Secret with the certificate that it serves TLS with; none where it serves plain HTTP. */
    tlsSecret?: string;
}

/** A pod that runs, with what the model adds. */
export interface Pod extends PodObservation {
    runningSince?: number;
    readySince?: number;
    /** TiDB only: it found PD and a store and serves its status. */
    serving?: boolean;
}

/** A PD member as etcd's member list holds it. */
export interface Member {
    name: string;
    id: bigint;
    claim: string;
    peerUrl: string;
    clientUrl: string;
    version: string;
    /** Whether its process has heard who leads the regions; one that was restarted has not, until PD's leader hears it anew. */
    knowsLeaders: boolean;
}

/** PD's own state of a store: what `node_state` says. */
export type NodeState = "Serving" | "Removing" | "Removed";

/** A TiKV or TiFlash store as PD knows it. */
export interface Store {
    id: number;
    engine: Engine;
    pod: string;
    address: string;
    claim: string;
    version: string;
    labels: Record<string, string>;
    nodeState: NodeState;
    /** Its process runs and reports. */
    running: boolean;
    startedAt: number;
    /** When its process ended, or PD last heard of it; only while it does not run. */
    stoppedAt: number;
    /** When PD last heard of it. */
    lastHeartbeat: number;
    nextHeartbeat: number;
    /** When it has found PD's leader: its heartbeats before are lost. */
    reportsFrom: number;
    leaders: number;
    regions: number;
    /** Leaders that PD's leader had not heard of when it was elected; see `unheardLeaders`. */
    unheard: number;
    /** What its own gauges say; undefined until they were refreshed for the first time. */
    gauges?: { leaders: number; regions: number };
    /** Fractions of a leader and of a region that the rates have granted and nothing has used yet. */
    evictionCredit: number;
    drainCredit: number;
}

/** What the model knows of TiCDC, which replicates some tables. */
export interface CaptureState {
    /** Names of pods whose capture is registered, in the order in which they stand for ownership: the first one owns. */
    queue: string[];
    /** Tables by pod. */
    tables: Map<string, number>;
    /** Pods that were told to give their tables away. */
    draining: Set<string>;
    /** Fraction of a table that the rate has granted and nothing has used yet. */
    credit: number;
}

/** A pump as it is registered in PD's etcd, where it stays. */
export interface Pump {
    pod: string;
    /** UID of the pod that it last ran in. */
    uid: string;
    state: "online" | "paused" | "closing" | "offline";
    /** When it was told to go offline. */
    closingSince?: number;
}

/** All that the simulator knows of one cluster. Changed only by the functions of this folder. */
export interface ClusterState {
    readonly namespace: string;
    readonly name: string;
    readonly clusterId: bigint;
    readonly timings: Timings;
    readonly faults: Faults;
    readonly createdAt: number;
    now: number;
    pods: Map<string, Pod>;
    members: Member[];
    /** Claims of members that were deleted: a member does not come back with the data that it was deleted with. */
    deletedMemberClaims: Set<string>;
    leader: string | undefined;
    leadership: Leadership | undefined;
    leaderLostAt: number;
    /** When the next leader takes over, and who, if that was asked for. */
    nextLeader: { at: number; name?: string } | undefined;
    /** Names of the pods that are the primaries of PD's microservices. */
    primaries: Map<Microservice, string>;
    captures: CaptureState;
    /** By pod. */
    pumps: Map<string, Pump>;
    stores: Store[];
    nextStoreId: number;
    /** Claims whose start was refused already, so that it is told once. */
    refusedClaims: Set<string>;
    lastStoreJoinedAt: number;
    loaded: boolean;
    regions: number;
    /** Stores under the evict-leader scheduler that PD's leader runs. */
    evictions: Set<number>;
    /** Those that PD's etcd has, which the next leader loads. */
    persistedEvictions: Set<number>;
    /** Stores that entries of type `evict-leader` in PD's configuration name, in order. */
    evictionEntries: number[];
    /** Stores that PD keeps leaders from though they are under no eviction. */
    paused: Set<number>;
    evictionBatch: number;
    scheduleConfig: Record<string, unknown>;
    replicationConfig: Record<string, unknown>;
    leaderCredit: number;
    regionCredit: number;
    learnerCredit: number;
    /** TiFlash replicas of the tables. Undefined: 1 while there is a TiFlash store, as if somebody had asked for it. */
    tiflashReplicas: number | undefined;
    readonly etcd: Etcd;
    /** What PD last saved: its timestamps are before this. */
    timestamp: number;
    /** Stores as PD listed them when the fault `stale` was set. */
    staleStores: unknown[] | undefined;
    /** Of `'root'@'%'`, in clear; empty at first. */
    rootPassword: string;
    readonly events: DataPlaneEvent[];
    readonly onEvent: ((event: DataPlaneEvent) => void) | undefined;
    readonly pdCalls: PdCall[];
}

/** Writes a line into the cluster's log, stamped with the cluster's time. */
export function record(
    state: ClusterState,
    kind: DataPlaneEventKind,
    details: Omit<DataPlaneEvent, "at" | "kind" | "namespace" | "cluster"> = {},
): void {
    const event = { at: state.now, kind, namespace: state.namespace, cluster: state.name, ...details };
    state.events.push(event);
    state.onEvent?.(event);
}

/** `max-replicas` of PD's replication configuration. */
export function maxReplicas(state: ClusterState): number {
    return Number(state.replicationConfig["max-replicas"]);
}

/** The id of the cluster that PD says it is. */
export function saidClusterId(state: ClusterState): bigint {
    return state.faults.clusterId === undefined ? state.clusterId : BigInt(state.faults.clusterId);
}
