import { type ClusterState, record, type Store } from "./cluster";
import { takesRegions } from "./storeSpace";
import { upStoresOf } from "./storeState";

/** Learner peers: the copies of regions on TiFlash stores. They never lead, and the tables determine their number. */

/** The number of TiFlash replicas of the tables. Every region has this many learners, each on a different store. */
export function tiflashReplicas(state: ClusterState): number {
    const hasStore = state.stores.some((store) => store.engine === "tiflash" && store.nodeState !== "Removed");
    return state.tiflashReplicas ?? (hasStore ? 1 : 0);
}

/**
 * Moves the learners that PD moves in this time: off stores that are being removed, and to where they are missing,
 * evenly.
 */
export function stepLearners(state: ClusterState, milliseconds: number): void {
    state.learnerCredit += (state.timings.drainRegionsPerSecond * milliseconds) / 1000;
    while (state.leadership?.hasSchedulers && state.learnerCredit >= 1 && moveLearner(state)) {
        state.learnerCredit--;
    }
    state.learnerCredit %= 1;
    for (const store of learnerStores(state)) {
        if (store.nodeState === "Removing" && store.regions === 0) {
            store.nodeState = "Removed";
            record(state, "store-tombstone", { storeId: store.id, pod: store.pod });
        }
    }
}

function moveLearner(state: ClusterState): boolean {
    const stores = learnerStores(state);
    const wanted = state.regions * tiflashReplicas(state);
    const have = stores.reduce((sum, store) => sum + store.regions, 0);
    const leaving = stores.filter(
        (store) => store.nodeState === "Removing" && store.regions > 0 && isFree(state, store),
    );
    const from = most([...leaving, ...(leaving.length > 0 ? [] : upStoresOf(state, "tiflash"))]);
    const to = fewest(
        upStoresOf(state, "tiflash").filter((store) => store.regions < state.regions && takesRegions(state, store)),
    );
    if (have > wanted && from !== undefined) {
        from.regions--;
        return true;
    }
    if (have < wanted && to !== undefined) {
        to.regions++;
        return true;
    }
    const isWorth = leaving.length > 0 || (from !== undefined && to !== undefined && from.regions - to.regions > 1);
    if (from === undefined || to === undefined || from === to || !isWorth) {
        return false;
    }
    from.regions--;
    to.regions++;
    return true;
}

function learnerStores(state: ClusterState): Store[] {
    return state.stores.filter((store) => store.engine === "tiflash" && store.nodeState !== "Removed");
}

/** Whether the store is not blocked by a fault. */
function isFree(state: ClusterState, store: Store): boolean {
    return state.faults.stores[store.pod]?.drainedRegionsPerSecond !== 0;
}

function most(stores: Store[]): Store | undefined {
    return stores
        .filter((store) => store.regions > 0)
        .reduce<Store | undefined>(
            (found, store) => (found === undefined || store.regions > found.regions ? store : found),
            undefined,
        );
}

function fewest(stores: Store[]): Store | undefined {
    return stores.reduce<Store | undefined>(
        (found, store) => (found === undefined || store.regions < found.regions ? store : found),
        undefined,
    );
}
