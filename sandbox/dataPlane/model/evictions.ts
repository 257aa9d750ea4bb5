import { clusterKey } from "../facts/etcd";
import { evictLeaderScheduler, type OwnScheduler } from "../facts/schedulers";
import { type ClusterState, record, type Store } from "./cluster";
import { deleteKey, putKey } from "./etcd";
import { stoppingStore } from "./storeState";

/**
 * PD's evict-leader scheduler at version 8.5.4. Three things are separate: the running scheduler, its configuration in
 * PD's etcd, and the entries of its type in `schedule` of PD's configuration. They diverge while PD has not loaded its
 * schedulers yet (pd pkg/schedule/coordinator.go, schedulers/scheduler_controller.go,
 * server/config/persist_options.go).
 */

/** The batch of a scheduler that is created. It goes with the scheduler. */
const defaultBatch = 3;

/** Adds a store to PD's evict-leader scheduler. Does nothing if it is already in it. */
export function beginEviction(state: ClusterState, store: Store): void {
    if (state.evictions.has(store.id)) {
        return;
    }
    if (state.evictions.size === 0 && !state.evictionEntries.includes(store.id)) {
        // A scheduler that does not run is created again, whatever etcd contains. It gets a new entry next to any
        // existing one.
        state.evictionEntries.push(store.id);
    }
    if (state.evictions.size === 0) {
        state.evictionBatch = defaultBatch;
    }
    state.evictions.add(store.id);
    persist(state);
    record(state, "eviction-begun", { storeId: store.id, pod: store.pod, leaders: store.leaders });
}

/** Ends a store's eviction. False if the scheduler does not run for it, whatever etcd contains. */
export function endEviction(state: ClusterState, storeId: number): boolean {
    if (!state.evictions.delete(storeId)) {
        return false;
    }
    if (state.evictions.size === 0) {
        state.evictionEntries.shift();
    }
    persist(state);
    const store = state.stores.find((one) => one.id === storeId);
    if (store !== undefined && state.faults.stores[store.pod]?.keepsPaused) {
        state.paused.add(storeId);
    }
    record(state, "eviction-ended", { storeId, pod: store?.pod, leaders: store?.leaders });
    return true;
}

/** Ends all evictions and the scheduler. False if it does not run. */
export function endAllEvictions(state: ClusterState): boolean {
    return [...state.evictions].filter((storeId) => endEviction(state, storeId)).length > 0;
}

/** @returns whether PD keeps leaders away from the store, asked to or by itself. */
export function isEvicted(state: ClusterState, store: Store): boolean {
    return state.evictions.has(store.id) || ownEviction(state, store) !== undefined;
}

/** @returns PD's scheduler that evicts the store by itself; undefined if none does, or PD has not loaded its schedulers. */
export function ownEviction(state: ClusterState, store: Store): OwnScheduler | undefined {
    if (!state.leadership?.hasSchedulers) {
        return undefined;
    }
    const given = state.faults.stores[store.pod]?.evictedByPd;
    const stops = state.pods.get(store.pod)?.killedAt !== undefined && stoppingStore(state) === store;
    return given ?? (stops ? "evict-stopping-store-scheduler" : undefined);
}

/** A new PD leader loads its schedulers. An entry in the configuration restores an eviction that etcd no longer has. */
export function loadEvictions(state: ClusterState): void {
    const [entry] = state.evictionEntries;
    if (state.evictions.size > 0 || entry === undefined) {
        return;
    }
    state.evictions = new Set(state.persistedEvictions.size > 0 ? state.persistedEvictions : [entry]);
    persist(state);
    for (const storeId of state.evictions) {
        const store = state.stores.find((one) => one.id === storeId);
        record(state, "eviction-loaded", { storeId, pod: store?.pod, leaders: store?.leaders });
    }
}

/** The scheduler's configuration, as PD returns it and keeps it in etcd. */
export function evictionConfig(state: ClusterState): object {
    const everything = [{ "start-key": "", "end-key": "" }];
    const ranges = Object.fromEntries([...state.evictions].map((storeId) => [storeId, everything]));
    return { "store-id-ranges": ranges, batch: state.evictionBatch };
}

function persist(state: ClusterState): void {
    const key = clusterKey(state.clusterId, `scheduler_config/${evictLeaderScheduler}`);
    state.persistedEvictions = new Set(state.evictions);
    if (state.evictions.size === 0) {
        deleteKey(state, key);
    } else {
        putKey(state, key, Buffer.from(JSON.stringify(evictionConfig(state))));
    }
}
