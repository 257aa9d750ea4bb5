import type { Observation, ObservedStore } from "./observation";

/**
 * What alone can end a wait: a change that Kubernetes reports, or besides that what PD reports of these stores. As long as
 * neither has changed, nothing else needs to be asked.
 */
export type EndedBy = "kubernetes" | { readonly storeIds: readonly number[] };

/** @returns what ends the first of several waits, for example of removals side by side; `undefined` if one of them is ended by more. */
export function endedByAny(waits: readonly { readonly endedBy?: EndedBy }[]): EndedBy | undefined {
    const ends = waits.map(({ endedBy }) => endedBy);
    if (!ends.every((one) => one !== undefined)) {
        return undefined;
    }
    const storeIds = [...new Set(ends.flatMap((one) => (one === "kubernetes" ? [] : one.storeIds)))];
    return storeIds.length === 0 ? "kubernetes" : { storeIds };
}

/** As `withStoreNow`, for several stores. */
export function withStoresNow(seen: Observation, stores: readonly ObservedStore[]): Observation | undefined {
    return stores.reduce<Observation | undefined>((one, store) => one && withStoreNow(one, store), seen);
}

/**
 * @param seen what was observed when everything was last asked.
 * @param store the same store as PD reports it now.
 * @returns the observation with what PD reports of the store now; `undefined` if everything must be asked again.
 */
export function withStoreNow(seen: Observation, store: ObservedStore): Observation | undefined {
    const { stores } = seen.pd;
    const before = stores.known ? stores.value.find(({ id }) => id === store.id) : undefined;
    if (!stores.known || before === undefined || isNews(before, store) || mayLeadNothing(seen, store)) {
        return undefined;
    }
    // Heartbeats are compared with those of other stores, so all of them must have been read at the same time.
    const now: ObservedStore = { ...store, lastHeartbeat: before.lastHeartbeat };
    const value = stores.value.map((one) => (one === before ? now : one));
    return { ...seen, pd: { ...seen.pd, stores: { ...stores, value } } };
}

/** That a store loses its last region, or is silent for longer, is in its own entry, and nothing else changes with it. */
function isNews(before: ObservedStore, now: ObservedStore): boolean {
    return (
        answers(before) !== answers(now) ||
        before.address !== now.address ||
        before.startedAt !== now.startedAt ||
        (before.leaderCount.reported === 0) !== (now.leaderCount.reported === 0)
    );
}

/** PD calls a store Disconnected, and later Down, as long as it sends no heartbeat. */
function answers({ state }: ObservedStore): string {
    return state === "Disconnected" || state === "Down" ? "silent" : state;
}

/** The store's own count of leaders is older than PD's. Once PD counts none, the store must be asked again. */
function mayLeadNothing({ ownLeaders }: Observation, { podName, leaderCount }: ObservedStore): boolean {
    const own = ownLeaders[podName];
    return own !== undefined && (!own.known || (own.value > 0 && leaderCount.reported === 0));
}
