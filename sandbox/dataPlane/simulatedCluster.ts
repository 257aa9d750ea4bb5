import { type Clock, systemClock } from "./clock";
import type { StoreState } from "./facts/storeState";
import type { Faults } from "./faults";
import { advance } from "./model/advance";
import { type ClusterState, type Member, type PodObservation, type Store } from "./model/cluster";
import type { DataPlaneEvent, PdCall } from "./model/events";
import { beginEviction, endEviction } from "./model/evictions";
import { takeLeaders } from "./model/leaders";
import { isAlive, leaderOf } from "./model/members";
import { observePods } from "./model/pods";
import { storeState } from "./model/storeState";

/** A store, for reading. */
export type StoreView = Readonly<
    Pick<Store, "id" | "engine" | "pod" | "address" | "claim" | "leaders" | "regions" | "running">
> & {
    state: StoreState;
    evicted: boolean;
};

/** A PD member, for reading. */
export type MemberView = Readonly<Pick<Member, "name" | "claim" | "version">> & {
    id: string;
    healthy: boolean;
    leader: boolean;
};

/** One cluster of the data plane, as tests and the demo look at it and interfere with it. */
export interface SimulatedCluster {
    readonly namespace: string;
    readonly name: string;
    /** Set and clear these at any time. */
    readonly faults: Faults;
    /** What happened in this cluster, in order. */
    readonly events: DataPlaneEvent[];
    /** Every call that PD was sent, in order. */
    readonly pdCalls: PdCall[];
    /** How often PD was called, by method and path with the query, since the n-th call of `pdCalls` (default: the first). */
    pdCallCounts(since?: number): Record<string, number>;
    stores(): StoreView[];
    /** The store in a pod: the one that is not Tombstone, else the last. */
    storeOfPod(pod: string): StoreView | undefined;
    members(): MemberView[];
    /** Name of PD's leader; undefined when there is none. */
    leader(): string | undefined;
    /** Puts a pod's store under eviction as somebody else would, past the gates. */
    beginEviction(pod: string): void;
    /** Ends the eviction of a pod's store behind the gates' back. */
    endEviction(pod: string): void;
    /** Has a pod's store take leaders over from the others, as stores do among themselves. */
    takeLeaders(pod: string, count: number): void;
    /** Gives the tables so many TiFlash replicas, as `ALTER TABLE … SET TIFLASH REPLICA` does. Default: 1 while there is a TiFlash store. */
    setTiflashReplicas(count: number): void;
    /** What root logs in with now; empty where it needs no password. */
    rootPassword(): string;
    /** Gives root a password, as a user does who is logged in. */
    setRootPassword(password: string): void;
    /** Tells the cluster which pods it has now. The watcher of Kubernetes does; so may a test. */
    observePods(pods: PodObservation[]): void;
}

/** The view of a state at a clock. */
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
    const viewStore = (store: Store): StoreView => ({
        id: store.id,
        engine: store.engine,
        pod: store.pod,
        address: store.address,
        claim: store.claim,
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
        rootPassword: () => state.rootPassword,
        setRootPassword: (password) => {
            state.rootPassword = password;
        },
        observePods: (pods) => observePods(state, pods, clock()),
    };
}
