import type { ClusterState, Store } from "./cluster";
import { isEvicted } from "./evictions";
import { unreportedLeaders } from "./leadership";
import { upStores } from "./storeState";

/** PD's default `leader-schedule-limit`, which the rate in the timings refers to. */
const defaultLeaderScheduleLimit = 4;

/**
 * Moves the leaders that PD's schedulers move in this time: first for evictions, then for balance with the remaining
 * rate.
 */
export function stepLeaders(state: ClusterState, milliseconds: number): void {
    let budget = (transferRate(state) * milliseconds) / 1000;
    const evicted = state.stores.filter((store) => store.running && isEvicted(state, store) && store.leaders > 0);
    for (const [index, store] of evicted.entries()) {
        const share = budget / (evicted.length - index);
        const slowest = state.faults.stores[store.pod]?.evictedLeadersPerSecond ?? Infinity;
        const granted = Math.min(share, (slowest * milliseconds) / 1000);
        budget -= granted;
        store.evictionCredit += granted;
        while (store.evictionCredit >= 1 && store.leaders > 0 && moveLeader(state, store)) {
            store.evictionCredit--;
        }
        store.evictionCredit %= 1;
    }
    if (state.leadership?.hasSchedulers) {
        balance(state, budget * returnShare(state));
    }
}

/**
 * Moves one leader of a store to the store with the fewest leaders that accepts leaders. False if there is no such
 * store, or if none of the leaders was reported to PD.
 */
export function moveLeader(state: ClusterState, from: Store): boolean {
    const to = fewestLeaders(state, from);
    if (to === undefined || unreportedLeaders(state, from) >= from.leaders) {
        return false;
    }
    from.leaders--;
    to.leaders++;
    return true;
}

/**
 * A store takes over leaders from the others, as stores do among themselves. It is reported to PD at once if PD has a
 * leader.
 */
export function takeLeaders(state: ClusterState, to: Store, count: number): void {
    const others = state.stores.filter((store) => store.engine === to.engine && store !== to);
    for (let taken = 0; taken < count; taken++) {
        const from = others.reduce((most, store) => (store.leaders > most.leaders ? store : most), others[0]);
        if (from === undefined || from.leaders === 0 || to.leaders >= to.regions) {
            return;
        }
        giveLeader(state, from, to);
    }
}

/** Changes the leader of a region to another store. The new leader reports it at once if PD has a leader. */
export function giveLeader(state: ClusterState, from: Store, to: Store): void {
    from.leaders--;
    to.leaders++;
    if (state.leadership === undefined) {
        from.unreported--;
        to.unreported++;
    }
}

function balance(state: ClusterState, budget: number): void {
    state.leaderCredit += budget;
    while (state.leaderCredit >= 1) {
        const donors = state.stores.filter((store) => store.running && !isEvicted(state, store));
        const from = donors.reduce((most, store) => (store.leaders > most.leaders ? store : most), donors[0]);
        const to = from && fewestLeaders(state, from);
        if (to === undefined || from.leaders - to.leaders <= 1) {
            break;
        }
        if (!moveLeader(state, from)) {
            break;
        }
        state.leaderCredit--;
    }
    state.leaderCredit %= 1;
}

function fewestLeaders(state: ClusterState, from: Store): Store | undefined {
    return upStores(state)
        .filter((store) => store !== from && !isEvicted(state, store) && !state.paused.has(store.id))
        .filter((store) => store.leaders < store.regions)
        .reduce<Store | undefined>(
            (fewest, store) => (fewest === undefined || store.leaders < fewest.leaders ? store : fewest),
            undefined,
        );
}

/** A real PD 8.5.4 evicted 7 times as fast at a limit of 64 as at its default of 4: (64 / 4) ^ 0.7. */
const evictionExponent = 0.7;
/** Leaders returned 5 times as fast: (64 / 4) ^ 0.58. */
const returnExponent = 0.58;

function transferRate(state: ClusterState): number {
    return state.timings.leaderTransfersPerSecond * raisedBy(state) ** evictionExponent;
}

/** How much of the rate of evictions the balance of leaders has. At PD's default limit the sandbox makes no difference. */
function returnShare(state: ClusterState): number {
    return raisedBy(state) > 1 ? raisedBy(state) ** (returnExponent - evictionExponent) : 1;
}

function raisedBy(state: ClusterState): number {
    return Math.max(0, Number(state.scheduleConfig["leader-schedule-limit"]) / defaultLeaderScheduleLimit);
}
