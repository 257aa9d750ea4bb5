import { type ClusterState, maxReplicas, record, type Store } from "./cluster";
import { moveLeader } from "./leaders";
import { isolationRanks, locationLabels, movesToIsolate, placesOf, worstRank } from "./places";
import { placeByLabels, stepRegionOrder } from "./regionOrder";
import { missingPeers } from "./regionPeers";
import { takesRegions } from "./storeSpace";
import { storeState, tikvStores, upStores } from "./storeState";

/**
 * Loads the first data, then moves the region peers that PD moves in this time: missing ones first, then drains, then
 * isolation by location labels, then balance.
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
    stepRegionOrder(state);
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
    const { dataLoadedAfterMilliseconds: usual } = state.timings;
    if (state.loaded || stores.length === 0 || quiet < (isStoreExpected(state, stores) ? latestOf(usual) : usual)) {
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
    placeByLabels(state);
    while (locationLabels(state).length > 0 && balancePeer(state)) {
        continue;
    }
    record(state, "data-loaded", { leaders: state.regions });
}

/** A pod whose store is not Up yet is waited for: on a busy machine the last one starts seconds after the others. One that never starts is not. */
const latestOf = (milliseconds: number) => 20 * milliseconds;

function isStoreExpected({ tikvPods }: ClusterState, up: readonly Store[]): boolean {
    return tikvPods.some((name) => !up.some(({ pod }) => pod === name));
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

/** Moves one peer from a full store to an emptier one, or to one that isolates it better, and never to one that isolates it worse. */
function balancePeer(state: ClusterState): boolean {
    return locationLabels(state).length > 0 ? balanceIsolated(state) : balanceAnywhere(state);
}

function balanceAnywhere(state: ClusterState): boolean {
    const stores = upStores(state);
    const takers = stores.filter((store) => takesRegions(state, store));
    if (takers.length === 0) {
        return false;
    }
    const from = most(stores, (store) => store.regions);
    const to = most(takers, (store) => -store.regions);
    return from.regions - to.regions > 1 && movePeer(state, from, to);
}

function balanceIsolated(state: ClusterState): boolean {
    const zones = [...groupByZone(state).values()];
    const givers = zones.map((stores) => most(stores, (store) => store.regions));
    const takers = zones.map((stores) => most(stores, (store) => -store.regions));
    for (const from of givers.sort((one, other) => other.regions - one.regions)) {
        const rankOf = isolationRanks(state, from);
        const isBetter = (to: Store): boolean => {
            const gained = rankOf(from) - rankOf(to);
            const isWorth = gained > 0 ? movesToIsolate(state) : gained === 0 && from.regions - to.regions > 1;
            return isWorth && to !== from && to.regions < state.regions && takesRegions(state, to);
        };
        const better = takers.filter(isBetter);
        if (from.regions > 0 && better.length > 0) {
            movePeer(
                state,
                from,
                most(better, (to) => -rankOf(to) * state.regions - to.regions),
            );
            return true;
        }
    }
    return false;
}

/** The stores that accept regions by their coarsest place. Those without a place are together. */
function groupByZone(state: ClusterState): Map<string, Store[]> {
    const labels = locationLabels(state).slice(0, 1);
    const groups = new Map<string, Store[]>();
    for (const store of upStores(state)) {
        const [zone = ""] = placesOf(store, labels);
        groups.set(zone, [...(groups.get(zone) ?? []), store]);
    }
    return groups;
}

/** The first of the stores for which the number is greatest. */
function most(stores: readonly Store[], numberOf: (store: Store) => number): Store {
    return stores.reduce((found, store) => (numberOf(store) > numberOf(found) ? store : found));
}

/**
 * Moves one peer of a store to the store with the fewest. A leader moves with it if the remaining peers are fewer than
 * the leaders.
 */
function movePeer(state: ClusterState, from: Store, to = fewestRegions(state, from)): boolean {
    if (to === undefined) {
        return false;
    }
    from.regions--;
    to.regions++;
    const limit = from.nodeState === "Removing" ? Math.ceil(from.regions / maxReplicas(state)) : from.regions;
    while (from.leaders > limit && moveLeader(state, from)) {
        continue;
    }
    // If no other store accepts the leader, it moves with its peer: a store never leads a region that it does not hold.
    for (; from.leaders > from.regions; from.leaders--) {
        to.leaders++;
    }
    return true;
}

/** The store that takes the next peer: one that isolates it best, and of these the emptiest. A region has no two peers on one store. */
function fewestRegions(state: ClusterState, from?: Store): Store | undefined {
    const rankOf = isolationRanks(state, from);
    const worst = worstRank(state);
    const able = upStores(state).filter(
        (store) => store !== from && store.regions < state.regions && takesRegions(state, store),
    );
    const isolating = able.filter((store) => rankOf(store) <= worst);
    return isolating.length === 0
        ? undefined
        : most(isolating, (store) => -rankOf(store) * state.regions - store.regions);
}
