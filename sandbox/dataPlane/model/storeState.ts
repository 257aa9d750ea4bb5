import { type StoreState, stateBySilence } from "../facts/storeState";
import type { ClusterState, Store } from "./cluster";

/** What PD calls a store's state at the cluster's time: its own part first, then how long the store has been silent. */
export function storeState(state: ClusterState, store: Store): StoreState {
    if (store.nodeState !== "Serving") {
        return store.nodeState === "Removing" ? "Offline" : "Tombstone";
    }
    const forced = state.faults.stores[store.pod]?.state;
    if (forced !== undefined) {
        return forced;
    }
    const { storeDisconnectedAfterMilliseconds, storeDownAfterMilliseconds } = state.timings;
    return stateBySilence(state.now - store.lastHeartbeat, {
        storeDisconnected: storeDisconnectedAfterMilliseconds,
        storeDown: storeDownAfterMilliseconds,
    });
}

/** Whether the store runs and is to stay, whatever PD's leader has heard of it. */
export function isUp(state: ClusterState, store: Store): boolean {
    return store.running && store.nodeState === "Serving" && state.faults.stores[store.pod]?.state === undefined;
}

/** Whether the store has been silent for so long that the leaders of its regions call its peers down. */
export function isSilent(state: ClusterState, store: Store): boolean {
    return !store.running && state.now - store.stoppedAt > state.timings.peerDownAfterMilliseconds;
}

/** TiKV stores that report and that PD has not been asked to remove: those that may take leaders and regions. */
export function upStores(state: ClusterState): Store[] {
    return upStoresOf(state, "tikv");
}

/** As `upStores`, of either engine. */
export function upStoresOf(state: ClusterState, engine: Store["engine"]): Store[] {
    return state.stores.filter(
        (store) => store.engine === engine && store.running && storeState(state, store) === "Up",
    );
}

/** All TiKV stores, those that are gone too. */
export function tikvStores(state: ClusterState): Store[] {
    return state.stores.filter((store) => store.engine === "tikv");
}
