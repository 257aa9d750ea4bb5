import { type CaptureState, type ClusterState, type Pod, record } from "./cluster";
import { leaderOf } from "./members";
import { upStores } from "./storeState";

/** The number of tables that the cluster's changefeeds replicate. */
const allTables = 12;

/** Returns the state of a TiCDC without captures. */
export function noCaptures(): CaptureState {
    return { queue: [], tables: new Map(), draining: new Set(), credit: 0 };
}

/** The id of the capture in a pod. It changes each time the process starts. */
export function captureId(pod: Pod): string {
    return `capture-${pod.uid}`;
}

/** Returns the registered captures. */
export function capturesOf(state: ClusterState): Pod[] {
    return state.captures.queue.flatMap((name) => state.pods.get(name) ?? []);
}

/** The pod whose capture is the owner of TiCDC and schedules the tables. */
export function captureOwner(state: ClusterState): string | undefined {
    return state.captures.queue[0];
}

/** Makes the owner resign: it goes to the end of the queue for ownership. */
export function resignCaptureOwner(state: ClusterState): void {
    const [owner, ...others] = state.captures.queue;
    if (owner !== undefined && others.length > 0) {
        state.captures.queue = [...others, owner];
        record(state, "capture-owner-elected", { pod: others[0], component: "ticdc" });
    }
}

/** Starts moving a capture's tables to the others. Returns how many it still has. */
export function drainCapture(state: ClusterState, pod: string): number {
    state.captures.draining.add(pod);
    return state.captures.tables.get(pod) ?? 0;
}

/** Registers captures that started, removes those that are gone, and moves tables. */
export function stepCaptures(state: ClusterState, slice: number): void {
    const { captures } = state;
    const owner = captureOwner(state);
    const runs = (name: string) => state.pods.get(name)?.readySince !== undefined;
    captures.queue = captures.queue.filter(runs);
    const canStart = leaderOf(state) !== undefined && upStores(state).length > 0;
    for (const pod of canStart ? state.pods.values() : []) {
        if (pod.component === "ticdc" && runs(pod.name) && !captures.queue.includes(pod.name)) {
            captures.queue.push(pod.name);
            captures.draining.delete(pod.name);
        }
    }
    for (const name of captures.tables.keys()) {
        if (!captures.queue.includes(name)) {
            captures.tables.delete(name);
            captures.draining.delete(name);
        }
    }
    if (captures.queue.length > 0) {
        if (captureOwner(state) !== owner) {
            record(state, "capture-owner-elected", { pod: captureOwner(state), component: "ticdc" });
        }
        moveTables(state, slice);
    }
}

function moveTables(state: ClusterState, slice: number): void {
    const { captures, timings, faults } = state;
    const tablesOf = (name: string) => captures.tables.get(name) ?? 0;
    const fewest = (names: string[]) => [...names].sort((one, other) => tablesOf(one) - tablesOf(other))[0];
    const takers = captures.queue.filter((name) => !captures.draining.has(name));
    const givers = captures.queue.filter((name) => captures.draining.has(name) && tablesOf(name) > 0);
    const placed = captures.queue.reduce((sum, name) => sum + tablesOf(name), 0);
    for (let table = placed; table < allTables; table++) {
        const to = fewest(takers.length > 0 ? takers : captures.queue);
        captures.tables.set(to, tablesOf(to) + 1);
    }
    if (givers.length === 0 || takers.length === 0 || faults.captureDrainNeverEnds) {
        captures.credit = 0;
        return;
    }
    captures.credit += (slice / 1000) * timings.drainedTablesPerSecond;
    for (; captures.credit >= 1; captures.credit--) {
        const from = givers.find((name) => tablesOf(name) > 0);
        if (from === undefined) {
            return;
        }
        const to = fewest(takers);
        captures.tables.set(from, tablesOf(from) - 1);
        captures.tables.set(to, tablesOf(to) + 1);
    }
}
