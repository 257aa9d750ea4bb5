import type { ClusterState, Store } from "./cluster";
import { locationLabels, movesToIsolate, placesOf } from "./places";
import { tikvStores } from "./storeState";

/**
 * The order in which the peers of stores follow each other around the circle of regions. While those of a place follow each other, no
 * region has two peers in it, unless the place has more peers than there are regions.
 */

/** The stores in the order in which their peers follow each other. */
export function inRegionOrder({ regionOrder }: ClusterState, stores: readonly Store[]): readonly Store[] {
    if (regionOrder.length === 0) {
        return stores;
    }
    const positions = new Map(regionOrder.map((id, index) => [id, index]));
    const positionOf = ({ id }: Store) => positions.get(id) ?? regionOrder.length + id;
    return [...stores].sort((one, other) => positionOf(one) - positionOf(other));
}

/** Puts the stores of each place next to each other, as data that is written now is placed. */
export function placeByLabels(state: ClusterState): void {
    if (locationLabels(state).length === 0) {
        return;
    }
    state.regionOrder = wantedOrder(state).map(({ id }) => id);
    state.movedForOrder = 0;
}

/**
 * Moves the peers that PD moves to bring the stores of each place next to each other. The model does not show the way there: the new
 * order counts once as many peers were moved as differ.
 */
export function stepRegionOrder(state: ClusterState): void {
    if (locationLabels(state).length === 0) {
        return;
    }
    const now = inRegionOrder(state, tikvStores(state));
    const wanted = wantedOrder(state);
    const different = differentPeers(now, wanted, state.regions);
    if (different > 0 && !movesToIsolate(state)) {
        return;
    }
    const moved = Math.max(0, Math.min(Math.floor(state.regionCredit), different - state.movedForOrder));
    state.regionCredit -= moved;
    state.movedForOrder += moved;
    if (state.movedForOrder >= different) {
        placeByLabels(state);
    }
}

function wantedOrder(state: ClusterState): readonly Store[] {
    return grouped(inRegionOrder(state, tikvStores(state)), locationLabels(state));
}

/** Brings the stores of each place together, and those of its finer places within it. What is together already stays where it is. */
function grouped(stores: readonly Store[], labels: readonly string[], level = 0): readonly Store[] {
    if (level === labels.length) {
        return stores;
    }
    const groups = new Map<string, Store[]>();
    for (const store of stores) {
        const place = placesOf(store, labels)[level] ?? `store ${store.id}`;
        groups.set(place, [...(groups.get(place) ?? []), store]);
    }
    return [...groups.values()].flatMap((group) => grouped(group, labels, level + 1));
}

/** How many peers are on another store in the other order. */
function differentPeers(one: readonly Store[], other: readonly Store[], regions: number): number {
    const starts = startsOf(other);
    let [different, from] = [0, 0];
    for (const store of one) {
        const shift = ((starts.get(store) ?? 0) - from) % regions || 0;
        const ahead = (shift + regions) % regions;
        const shared =
            ahead === 0 ? store.regions : overlap(store.regions, ahead) + overlap(store.regions, regions - ahead);
        different += store.regions - shared;
        from += store.regions;
    }
    return different;
}

function overlap(length: number, shift: number): number {
    return Math.max(0, length - shift);
}

function startsOf(stores: readonly Store[]): Map<Store, number> {
    let next = 0;
    return new Map(
        stores.map((store) => {
            const from = next;
            next += store.regions;
            return [store, from];
        }),
    );
}
