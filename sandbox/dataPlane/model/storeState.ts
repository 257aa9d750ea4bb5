import { goMilliseconds } from "../facts/goDuration";
import { type StoreState, stateByHeartbeatAge } from "../facts/storeState";
import type { ClusterState, Store } from "./cluster";

/**
 * The state that PD gives to a store at the cluster's time: from its node state, then from the age of its last
 * heartbeat.
 */
export function storeState(state: ClusterState, store: Store): StoreState {
    if (store.nodeState !== "Serving") {
        return store.nodeState === "Removing" ? "Offline" : "Tombstone";
    }
    const forced = state.faults.stores[store.pod]?.state;
    if (forced !== undefined) {
        return forced;
    }
    return stateByHeartbeatAge(state.now - store.lastHeartbeat, {
        storeDisconnected: state.timings.storeDisconnectedAfterMilliseconds,
        storeDown: storeDownMilliseconds(state),
    });
}

/** Durations that were read before: the model asks for the same one in each of its steps. */
const knownDurations = new Map<string, number | undefined>();

/** `max-store-down-time` of PD's configuration. */
function storeDownMilliseconds({ scheduleConfig, timings }: ClusterState): number {
    const text = String(scheduleConfig["max-store-down-time"]);
    if (!knownDurations.has(text)) {
        knownDurations.set(text, goMilliseconds(text));
    }
    return knownDurations.get(text) ?? timings.storeDownAfterMilliseconds;
}

/** Whether the store runs and is not being removed, whatever was reported to PD's leader. */
export function isUp(state: ClusterState, store: Store): boolean {
    return store.running && store.nodeState === "Serving" && state.faults.stores[store.pod]?.state === undefined;
}

/** Whether the store has been down for so long that the leaders of its regions report its peers as down. */
export function isReportedDown(state: ClusterState, store: Store): boolean {
    return !store.running && state.now - store.stoppedAt > state.timings.peerDownAfterMilliseconds;
}

/** The TiKV stores that report and are not being removed, so they accept leaders and regions. */
export function upStores(state: ClusterState): Store[] {
    return upStoresOf(state, "tikv");
}

/** Like `upStores`, for either engine. */
export function upStoresOf(state: ClusterState, engine: Store["engine"]): Store[] {
    return state.stores.filter(
        (store) => store.engine === engine && store.running && storeState(state, store) === "Up",
    );
}

/** All TiKV stores, including those that are gone. */
export function tikvStores(state: ClusterState): Store[] {
    return state.stores.filter((store) => store.engine === "tikv");
}

/** The store whose leaders PD moves because it stops: PD does nothing if several do (pd pkg/schedule/schedulers/evict_stopping_store.go). */
export function stoppingStore(state: ClusterState): Store | undefined {
    const claims = new Set([...state.pods.values()].flatMap((pod) => (pod.killedAt === undefined ? [] : [pod.claim])));
    const stopping = state.stores.filter(({ running, claim }) => running && claims.has(claim));
    return stopping.length === 1 ? stopping[0] : undefined;
}
