import type { Engine } from "../facts/addresses";
import type { PdSections } from "../facts/pdFile";
import type { TidbProcess } from "../facts/tidbConfig";
import type { TikvConfig } from "../facts/tikvConfig";
import type { UserTable } from "../facts/userTable";
import type { Faults } from "../faults";
import type { Timings } from "../timings";
import type { Component, DataPlaneEvent, DataPlaneEventKind, Microservice, PdCall } from "./events";
import type { Etcd, Leadership, UnsafeRecovery } from "./pdState";

/** A pod as the data plane sees it. */
export interface PodObservation {
    name: string;
    uid: string;
    component: Component;
    /** Identifies the pod's data: the UID of its claim, or the pod's own UID if it has no claim. */
    claim: string;
    /** The pod is in phase Running and not being deleted. */
    running: boolean;
    /** Its container is in CrashLoopBackOff with this message: the kubelet will start its process again. */
    backsOff?: string;
    /** The pod has condition Ready and is not being deleted. */
    ready: boolean;
    /** The kubelet has sent SIGTERM to its processes, and kills those that are left at this time. Default: it has not. */
    killedAt?: number;
    /** KWOK leaves its end to the data plane. Default: it does not. */
    isHeld?: true;
    /** The image's tag, such as `v8.5.3`. */
    version: string;
    /** For a pod of another TidbCluster that uses this cluster's PD: its headless Service and its namespace. */
    elsewhere?: { service: string; namespace: string };
    /** The configuration in its ConfigMap, which its process reads when it starts. Default: none. */
    config?: Readonly<Record<string, unknown>>;
    /** TiKV and TiFlash: the labels that the process gives its store. Default: none. */
    storeLabels?: Readonly<Record<string, string>>;
    /** The name of the Secret with its TLS certificate. Undefined if it serves plain HTTP. */
    tlsSecret?: string;
}

/** A running pod, with the model's additions. */
export interface Pod extends PodObservation {
    runningSince?: number;
    readySince?: number;
    /** When its process got SIGTERM. */
    stoppingSince?: number;
    /** TiDB only: the server has found PD and a store and serves its status. */
    serving?: boolean;
    /** TiDB only: its process, from the first time that it is asked for. */
    tidb?: TidbProcess;
    /** PD only: the log level that was set since its process started. */
    logLevel?: string;
    /** Why its process does not start: PD's with its configuration file, a store's with its data or at its address. */
    refused?: string;
}

/** A PD member in etcd's member list. */
export interface Member {
    name: string;
    id: bigint;
    claim: string;
    peerUrl: string;
    clientUrl: string;
    version: string;
    /**
     * Whether its process knows the leaders of the regions. A restarted member does not, until they are reported to
     * PD's leader again.
     */
    knowsLeaders: boolean;
}

/** PD's own part of a store's state, reported as `node_state`. */
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
    /** When its process ended, or when PD received its last heartbeat. Valid only while it does not run. */
    stoppedAt: number;
    /** When PD received its last heartbeat; 0 before the first one. */
    lastHeartbeat: number;
    nextHeartbeat: number;
    /** When it has found PD's leader. Its heartbeats before that time are lost. */
    reportsFrom: number;
    leaders: number;
    regions: number;
    /** The number of leaders not reported to PD's leader when it was elected; see `unheardLeaders`. */
    unreported: number;
    /** The configuration of its process: the file that it has read, and what was changed since. */
    config: TikvConfig;
    /** The values of its own gauges. Undefined before their first refresh. */
    gauges?: { leaders: number; regions: number };
    nextGauges: number;
    /** Unused fractions of a leader and of a region that the rates have granted. */
    evictionCredit: number;
    drainCredit: number;
}

/** The state of TiCDC, which replicates some tables. */
export interface CaptureState {
    /**
     * The names of the pods with a registered capture, in the order of the queue for ownership. The first is the owner.
     */
    queue: string[];
    /** The number of tables by pod. */
    tables: Map<string, number>;
    /** The pods that were told to hand over their tables. */
    draining: Set<string>;
    /** The unused fraction of a table that the rate has granted. */
    credit: number;
}

/** A pump's registration in PD's etcd, where it stays. */
export interface Pump {
    pod: string;
    /** The UID of the pod that it last ran in. */
    uid: string;
    state: "online" | "paused" | "closing" | "offline";
    /** When it was told to go offline. */
    closingSince?: number;
}

/** The complete state of one simulated cluster. Only the functions in this folder change it. */
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
    /** The claims of deleted members. A member does not come back with the data it had when it was deleted. */
    deletedMemberClaims: Set<string>;
    leader: string | undefined;
    leadership: Leadership | undefined;
    leaderLostAt: number;
    /** When the next leader takes over, and which member, if one was requested. */
    nextLeader: { at: number; name?: string } | undefined;
    /** The pods that are the primaries of PD's microservices. */
    primaries: Map<Microservice, string>;
    captures: CaptureState;
    /** Whether TiDB was told that it is being upgraded. It is in PD's etcd, and outlives every server. */
    isUpgrading: boolean;
    /** By pod. */
    pumps: Map<string, Pump>;
    stores: Store[];
    nextStoreId: number;
    lastStoreJoinedAt: number;
    /** The names of TiKV's pods, whether they run or not. */
    tikvPods: readonly string[];
    loaded: boolean;
    regions: number;
    /** The ids of the TiKV stores in the order in which their peers follow each other. Empty: in the order of their ids. */
    regionOrder: readonly number[];
    /** How many peers were moved so far to get to the order that isolates regions better. */
    movedForOrder: number;
    /** The stores in the evict-leader scheduler that PD's leader runs. */
    evictions: Set<number>;
    /** The stores in the scheduler's configuration in PD's etcd, which the next leader loads. */
    persistedEvictions: Set<number>;
    /** The stores named by `evict-leader` entries in PD's configuration, in order. */
    evictionEntries: number[];
    /** The stores that PD keeps leaders away from although they have no eviction. */
    paused: Set<number>;
    evictionBatch: number;
    /** What holds for keys that are not in the configuration file. */
    readonly defaultConfig: PdSections;
    scheduleConfig: Record<string, unknown>;
    replicationConfig: Record<string, unknown>;
    serverConfig: Record<string, unknown>;
    leaderCredit: number;
    regionCredit: number;
    learnerCredit: number;
    /**
     * The number of TiFlash replicas of the tables. Undefined: 1 while there is a TiFlash store, as if it had been set.
     */
    tiflashReplicas: number | undefined;
    readonly etcd: Etcd;
    /** The timestamp that PD saved last. All timestamps it gave out are earlier. */
    timestamp: number;
    /** The stores as PD listed them when the fault `stale` was set. */
    staleStores: unknown[] | undefined;
    /** BR's mark, by which TiKV recovers from snapshots of volumes. */
    snapshotRecovering: boolean;
    /** The unsafe recovery that PD's leader runs, or ran last. */
    recovery: UnsafeRecovery | undefined;
    /** The tables of users. */
    tables: readonly UserTable[];
    /** The password of `'root'@'%'` in clear text. Empty at first. */
    rootPassword: string;
    readonly events: DataPlaneEvent[];
    readonly onEvent: ((event: DataPlaneEvent) => void) | undefined;
    readonly pdCalls: PdCall[];
}

/** Adds an event to the cluster's log, with the cluster's time. */
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

/** The cluster id that PD reports. */
export function reportedClusterId(state: ClusterState): bigint {
    return state.faults.clusterId === undefined ? state.clusterId : BigInt(state.faults.clusterId);
}
