import type { ClusterState, Store } from "./cluster";
import { tikvStores } from "./storeState";

/** Where stores are, by PD's location labels: two peers of a region had better be in different places. */

/** PD's `location-labels`, the coarsest first. */
export function locationLabels({ replicationConfig }: ClusterState): string[] {
    return String(replicationConfig["location-labels"]).split(",").filter(Boolean);
}

/** Whether PD moves peers only to isolate them better. */
export function movesToIsolate({ scheduleConfig }: ClusterState): boolean {
    return String(scheduleConfig["enable-location-replacement"]) === "true";
}

/** A store's place of each label, the coarsest first. A store without a label may be anywhere: it has no place from that one on. */
export function placesOf(store: Store, labels: readonly string[]): string[] {
    const values = labels.map((label) => store.labels[label] ?? "");
    const known = values.includes("") ? values.slice(0, values.indexOf("")) : values;
    return known.map((_value, index) => JSON.stringify(known.slice(0, index + 1)));
}

/** Says how well a store isolates one more peer: by the number of the label, 0 for the coarsest. The number of labels: by none. */
export type IsolationRank = (store: Store) => number;

/**
 * Ranks stores for a peer that leaves `from`, or for a new one. As the peers of one place follow each other, some region has none there
 * if the place has fewer peers than there are regions.
 */
export function isolationRanks(state: ClusterState, from?: Store): IsolationRank {
    const labels = locationLabels(state);
    const peers = new Map<string, number>();
    for (const store of labels.length === 0 ? [] : tikvStores(state)) {
        const left = store.regions - (store === from ? 1 : 0);
        placesOf(store, labels).forEach((place) => peers.set(place, (peers.get(place) ?? 0) + left));
    }
    return (store) => {
        const room = placesOf(store, labels).findIndex((place) => (peers.get(place) ?? 0) < state.regions);
        return room < 0 ? labels.length : room;
    };
}

/** The worst rank that `isolation-level` lets a store have that gets a peer. */
export function worstRank(state: ClusterState): number {
    const level = locationLabels(state).indexOf(String(state.replicationConfig["isolation-level"]));
    return level < 0 ? Infinity : level;
}
