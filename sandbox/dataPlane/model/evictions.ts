import { clusterKey } from "../facts/etcd";
import { evictLeaderScheduler } from "../facts/schedulers";
import { type ClusterState, record, type Store } from "./cluster";
import { deleteKey, putKey } from "./etcd";

/**
 * PD's evict-leader scheduler at version 8.5.4: the scheduler that runs, what PD's etcd has of it, and the entries of its
 * type in `schedule` of PD's configuration are three things, and they part where PD has not loaded its schedulers yet
 * (pd pkg/schedule/coordinator.go, schedulers/scheduler_controller.go, server/config/persist_options.go).
 */

/** Puts a store under PD's evict-leader scheduler; again for the same store is no change. */
export function beginEviction(state: ClusterState, store: Store): void {
    if (state.evictions.has(store.id)) {
        return;
    }
    if (state.evictions.size === 0 && !state.evictionEntries.includes(store.id)) {
        // A scheduler that does not run is made anew, whatever etcd has of one, and gets an entry beside any other.
        state.evictionEntries.push(store.id);
    }
    state.evictions.add(store.id);
    persist(state);
    record(state, "eviction-begun", { storeId: store.id, pod: store.pod, leaders: store.leaders });
}

/** Ends a store's eviction. False where the scheduler does not run for it, whatever etcd has. */
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

/** Ends all evictions, with the scheduler. False where it does not run. */
export function endAllEvictions(state: ClusterState): boolean {
    return [...state.evictions].filter((storeId) => endEviction(state, storeId)).length > 0;
}

/** A leader of PD loads its schedulers: an entry of the configuration brings back an eviction that etcd has no more. */
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

/** What PD says of the scheduler: the list that it answers, and what it keeps in etcd. */
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
