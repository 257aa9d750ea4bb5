import { type ClusterState, maxReplicas, record, type Store } from "./cluster";
import { moveLeader } from "./leaders";
import { missingPeers } from "./regionPeers";
import { storeState, tikvStores, upStores } from "./storeState";

/**
 * Loads the first data, then moves the region peers that PD moves in this time: missing ones first, then drains, then
 * balance.
 */
export function stepRegions(state: ClusterState, milliseconds: number): void {
    loadData(state);
    if (!state.leadership?.hasSchedulers) {
        return;
    }
    state.regionCredit += (state.timings.drainRegionsPerSecond * milliseconds) / 1000;
    while (state.regionCredit >= 1 && addMissingPeer(state)) {
        state.regionCredit--;
    }
    drain(state, milliseconds);
    while (state.regionCredit >= 1 && balancePeer(state)) {
        state.regionCredit--;
    }
    state.regionCredit %= 1;
}

/**
 * The first stores share the cluster's data evenly, as if it had been written to them. Later stores get data by
 * balance.
 */
function loadData(state: ClusterState): void {
    const stores = upStores(state);
    const quiet = state.now - state.lastStoreJoinedAt;
    if (state.loaded || stores.length === 0 || quiet < state.timings.dataLoadedAfterMilliseconds) {
        return;
    }
    state.loaded = true;
    state.regions = stores.length * state.timings.leadersPerStore;
    const peers = state.timings.leadersPerStore * Math.min(maxReplicas(state), stores.length);
    for (const store of tikvStores(state)) {
        const holds = stores.includes(store);
        store.leaders = holds ? state.timings.leadersPerStore : 0;
        store.regions = holds ? peers : 0;
    }
    record(state, "data-loaded", { leaders: state.regions });
}

function drain(state: ClusterState, milliseconds: number): void {
    const enough = upStores(state).length >= maxReplicas(state);
    for (const store of tikvStores(state)) {
        if (store.nodeState !== "Removing" && storeState(state, store) !== "Down") {
            continue;
        }
        const slowest = state.faults.stores[store.pod]?.drainedRegionsPerSecond ?? Infinity;
        const granted = Math.min(state.regionCredit, (slowest * milliseconds) / 1000);
        store.drainCredit += granted;
        while (enough && store.drainCredit >= 1 && store.regions > 0 && movePeer(state, store)) {
            store.drainCredit--;
            state.regionCredit--;
        }
        store.drainCredit %= 1;
        if (store.nodeState === "Removing" && store.regions === 0) {
            store.nodeState = "Removed";
            store.leaders = 0;
            record(state, "store-tombstone", { storeId: store.id, pod: store.pod });
        }
    }
}

function addMissingPeer(state: ClusterState): boolean {
    const to = missingPeers(state) > 0 ? fewestRegions(state) : undefined;
    if (to === undefined) {
        return false;
    }
    to.regions++;
    return true;
}

function balancePeer(state: ClusterState): boolean {
    const stores = upStores(state);
    const from = stores.reduce((most, store) => (store.regions > most.regions ? store : most), stores[0]);
    const to = fewestRegions(state);
    return from !== undefined && to !== undefined && from.regions - to.regions > 1 && movePeer(state, from);
}

/**
 * Moves one peer of a store to the store with the fewest. A leader moves with it if the remaining peers are fewer than
 * the leaders.
 */
function movePeer(state: ClusterState, from: Store): boolean {
    const to = fewestRegions(state, from);
    if (to === undefined) {
        return false;
    }
    from.regions--;
    to.regions++;
    const most = from.nodeState === "Removing" ? Math.ceil(from.regions / maxReplicas(state)) : from.regions;
    while (from.leaders > most && moveLeader(state, from)) {
        continue;
    }
    // If no other store accepts the leader, it moves with its peer: a store never leads a region that it does not hold.
    for (; from.leaders > from.regions; from.leaders--) {
        to.leaders++;
    }
    return true;
}

/** The store that takes the next peer. A region has no two peers on one store. */
function fewestRegions(state: ClusterState, except?: Store): Store | undefined {
    return upStores(state)
        .filter((store) => store !== except && store.regions < state.regions)
        .reduce<Store | undefined>(
            (fewest, store) => (fewest === undefined || store.regions < fewest.regions ? store : fewest),
            undefined,
        );
}
