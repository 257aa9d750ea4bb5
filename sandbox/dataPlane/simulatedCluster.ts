import { flushLog } from "../logBackup/flushLog";
import { type Clock, systemClock } from "./clock";
import type { StoreState } from "./facts/storeState";
import { type TidbProcess, withVariable } from "./facts/tidbConfig";
import { type TikvConfig, withTikvSettings } from "./facts/tikvConfig";
import type { UserTable } from "./facts/userTable";
import type { Faults } from "./faults";
import { advance } from "./model/advance";
import { type ClusterState, type Member, type Pod, type PodObservation, type Store } from "./model/cluster";
import type { DataPlaneEvent, PdCall } from "./model/events";
import { beginEviction, endEviction } from "./model/evictions";
import { takeLeaders } from "./model/leaders";
import { isAlive, leaderOf } from "./model/members";
import { observePods } from "./model/pods";
import { storeState } from "./model/storeState";
import { putTable } from "./model/tables";
import { processOf } from "./tidbApi";

/** A read-only view of a store. */
export type StoreView = Readonly<
    Pick<Store, "id" | "engine" | "pod" | "address" | "claim" | "labels" | "leaders" | "regions" | "running">
> & {
    state: StoreState;
    evicted: boolean;
};

/** A read-only view of a PD member. */
export type MemberView = Readonly<Pick<Member, "name" | "claim" | "version">> & {
    id: string;
    healthy: boolean;
    leader: boolean;
};

/** One cluster of the data plane, as tests and the demo observe and change it. */
export interface SimulatedCluster {
    readonly namespace: string;
    readonly name: string;
    /** May be set and cleared at any time. */
    readonly faults: Faults;
    /** The events of this cluster, in order. */
    readonly events: DataPlaneEvent[];
    /** All calls that PD received, in order. */
    readonly pdCalls: PdCall[];
    /**
     * The number of calls to PD by method and path with query, from the n-th call of `pdCalls` on (default: the first).
     */
    pdCallCounts(since?: number): Record<string, number>;
    stores(): StoreView[];
    /** The store of a pod: the one that is not Tombstone, or otherwise the last one. */
    storeOfPod(pod: string): StoreView | undefined;
    members(): MemberView[];
    /** The name of PD's leader. Undefined if there is none. */
    leader(): string | undefined;
    /** Starts an eviction of a pod's store in the name of somebody else, without the gates. */
    beginEviction(pod: string): void;
    /** Ends the eviction of a pod's store without the gates. */
    endEviction(pod: string): void;
    /** Makes a pod's store take over leaders from the other stores, as stores do among themselves. */
    takeLeaders(pod: string, count: number): void;
    /**
     * Sets the number of TiFlash replicas of the tables, as `ALTER TABLE … SET TIFLASH REPLICA` does. Default: 1 while
     * there is a TiFlash store.
     */
    setTiflashReplicas(count: number): void;
    /** Sets or clears PD's mark `snapshot-recovering`, as BR does at the beginning and at the end of a restore from snapshots. */
    markRecovering(marked: boolean): void;
    /** The tables of users that the cluster holds. */
    tables(): readonly UserTable[];
    /** Creates a table, or gives it other rows, as a logged-in user does. */
    putTable(table: UserTable): void;
    /** Moves the checkpoints of log backups to the current time. A sandbox does so every second. */
    flushLog(): void;
    /** The current password of root. Empty if it needs none. */
    rootPassword(): string;
    /** Sets root's password, as a logged-in user does. */
    setRootPassword(password: string): void;
    /** The configuration of the TiKV process of a pod. */
    tikvConfig(pod: string): TikvConfig;
    /** Changes settings of the TiKV process of a pod, by dotted key, as a person does. */
    setTikvConfig(pod: string, changes: Readonly<Record<string, unknown>>): void;
    /** The TiDB process of a pod: its configuration, and the system variables of its instance. */
    tidbProcess(pod: string): TidbProcess;
    /** Changes a system variable of a TiDB's instance, as a logged-in user does. */
    setTidbVariable(pod: string, variable: string, value: string): void;
    /** The log level of each PD member's process that was set since it started, by pod. */
    pdLogLevels(): Readonly<Record<string, string>>;
    /** PD's configuration, by section. */
    pdConfig(): Record<"schedule" | "replication" | "pd-server", Readonly<Record<string, unknown>>>;
    /** Gives the stores of pods a zone, and makes it PD's location label, as a person does with pd-ctl. */
    setZones(zones: Readonly<Record<string, string>>): void;
    /** Sets the cluster's current pods. The Kubernetes watcher calls it, and tests may too. */
    observePods(pods: PodObservation[]): void;
}

/** Creates the view of a cluster's state at the time of a clock. */
export function simulatedCluster(state: ClusterState, clock: Clock = systemClock): SimulatedCluster {
    const current = (): ClusterState => {
        advance(state, clock());
        return state;
    };
    const storeOfPod = (pod: string): Store | undefined => {
        const stores = current().stores.filter((store) => store.pod === pod);
        return stores.find((store) => store.nodeState !== "Removed") ?? stores.at(-1);
    };
    const required = (pod: string): Store => {
        const store = storeOfPod(pod);
        if (store === undefined) {
            throw new Error(
                `no store has joined from pod ${pod} of cluster ${state.name}: wait for its store-joined event`,
            );
        }
        return store;
    };
    const runningPod = (name: string): Pod => {
        const pod = current().pods.get(name);
        if (pod === undefined) {
            throw new Error(`pod ${name} of cluster ${state.name} does not run`);
        }
        return pod;
    };
    const viewStore = (store: Store): StoreView => ({
        id: store.id,
        engine: store.engine,
        pod: store.pod,
        address: store.address,
        claim: store.claim,
        labels: store.labels,
        leaders: store.leaders,
        regions: store.regions,
        running: store.running,
        state: storeState(state, store),
        evicted: state.evictions.has(store.id),
    });
    return {
        namespace: state.namespace,
        name: state.name,
        faults: state.faults,
        events: state.events,
        pdCalls: state.pdCalls,
        pdCallCounts: (since = 0) => {
            const counts: Record<string, number> = {};
            for (const call of state.pdCalls.slice(since)) {
                const key = `${call.method} ${call.path}`;
                counts[key] = (counts[key] ?? 0) + 1;
            }
            return counts;
        },
        stores: () => current().stores.map(viewStore),
        storeOfPod: (pod) => {
            const store = storeOfPod(pod);
            return store && viewStore(store);
        },
        members: () =>
            current().members.map((member) => ({
                name: member.name,
                id: String(member.id),
                claim: member.claim,
                version: member.version,
                healthy: isAlive(state, member),
                leader: member === leaderOf(state),
            })),
        leader: () => leaderOf(current())?.name,
        beginEviction: (pod) => beginEviction(state, required(pod)),
        endEviction: (pod) => {
            endEviction(state, required(pod).id);
        },
        takeLeaders: (pod, count) => takeLeaders(state, required(pod), count),
        setTiflashReplicas: (count) => {
            current().tiflashReplicas = count;
        },
        markRecovering: (marked) => {
            state.snapshotRecovering = marked;
        },
        tables: () => current().tables,
        putTable: (table) => putTable(current(), table),
        flushLog: () => flushLog(current()),
        rootPassword: () => state.rootPassword,
        setRootPassword: (password) => {
            state.rootPassword = password;
        },
        tikvConfig: (pod) => required(pod).config,
        setTikvConfig: (pod, changes) => {
            const store = required(pod);
            store.config = withTikvSettings(store.config, changes);
        },
        tidbProcess: (pod) => processOf(runningPod(pod)),
        setTidbVariable: (pod, variable, value) => {
            const server = runningPod(pod);
            server.tidb = withVariable(processOf(server), variable, value);
        },
        pdLogLevels: () =>
            Object.fromEntries(
                [...current().pods.values()].flatMap(({ name, logLevel }) =>
                    logLevel === undefined ? [] : [[name, logLevel]],
                ),
            ),
        pdConfig: () => ({
            schedule: state.scheduleConfig,
            replication: state.replicationConfig,
            "pd-server": state.serverConfig,
        }),
        setZones: (zones) => {
            Object.entries(zones).forEach(([pod, zone]) => Object.assign(required(pod).labels, { zone }));
            state.replicationConfig["location-labels"] = "zone";
        },
        observePods: (pods) => observePods(state, pods, clock()),
    };
}
