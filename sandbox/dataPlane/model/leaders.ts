import type { ClusterState, Store } from "./cluster";
import { unheardLeaders } from "./leadership";
import { upStores } from "./storeState";

/** PD's default `leader-schedule-limit`, which the rate of the timings is for. */
const defaultLeaderScheduleLimit = 4;

/** Moves the leaders that PD's schedulers move in this time: evictions first, then what is left of the rate for balance. */
export function stepLeaders(state: ClusterState, milliseconds: number): void {
    let budget = (transferRate(state) * milliseconds) / 1000;
    const evicted = state.stores.filter((store) => store.running && state.evictions.has(store.id) && store.leaders > 0);
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
        balance(state, budget);
    }
}

/**
 * Moves one leader of a store to the store that may take leaders and leads the fewest. False when there is none, or none
 * that PD has heard of.
 */
export function moveLeader(state: ClusterState, from: Store): boolean {
    const to = fewestLeaders(state, from);
    if (to === undefined || unheardLeaders(state, from) >= from.leaders) {
        return false;
    }
    from.leaders--;
    to.leaders++;
    return true;
}

/** A store takes leaders over from the others, as stores decide among themselves. PD hears of it at once, if it has a leader. */
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

/** A region's leader is another store from now on. Who takes it over says so at once, if anybody listens. */
export function giveLeader(state: ClusterState, from: Store, to: Store): void {
    from.leaders--;
    to.leaders++;
    if (state.leadership === undefined) {
        from.unheard--;
        to.unheard++;
    }
}

function balance(state: ClusterState, budget: number): void {
    state.leaderCredit += budget;
    while (state.leaderCredit >= 1) {
        const donors = state.stores.filter((store) => store.running && !state.evictions.has(store.id));
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
        .filter((store) => store !== from && !state.evictions.has(store.id) && !state.paused.has(store.id))
        .filter((store) => store.leaders < store.regions)
        .reduce<Store | undefined>(
            (fewest, store) => (fewest === undefined || store.leaders < fewest.leaders ? store : fewest),
            undefined,
        );
}

/** A real PD 8.5.4 evicted 7 times as fast at a limit of 64 as at its default of 4: (64 / 4) ^ 0.7. */
function transferRate(state: ClusterState): number {
    const limit = Number(state.scheduleConfig["leader-schedule-limit"]);
    return state.timings.leaderTransfersPerSecond * Math.max(0, limit / defaultLeaderScheduleLimit) ** 0.7;
}
