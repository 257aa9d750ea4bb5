import type { WireRecoveryStage } from "pulumi-tidb/provider/pd/wire";
import { type ClusterState, record, type Store } from "./cluster";
import { regionOf, regionsOn } from "./regionPeers";
import type { UnsafeRecovery } from "./pdState";
import { tableOf } from "./regionKeys";

/**
 * PD's unsafe recovery (tikv/pd v8.5.4 pkg/unsaferecovery/unsafe_recovery_controller.go): the failed stores become Tombstone at once;
 * then PD goes from stage to stage, each time that all other stores have reported. It is in the leader's memory only.
 */

/** How long the stores get to leave force leader after an error, in store heartbeats. PD: 80 s. */
const heartbeatsToExit = 8;

/** Begins a recovery. @returns PD's error, if it refuses. */
export function beginRecovery(state: ClusterState, ids: readonly number[], timeoutSeconds: number): string | undefined {
    const invalid = (why: string) => `[PD:unsaferecovery:ErrUnsafeRecoveryInvalidInput]invalid input ${why}`;
    if (isRunning(state)) {
        return "[PD:unsaferecovery:ErrUnsafeRecoveryIsRunning]unsafe recovery is running";
    }
    if (ids.length === 0) {
        return invalid("no store specified");
    }
    for (const id of ids) {
        const store = state.stores.find((one) => one.id === id);
        if (store === undefined) {
            return invalid(`store ${id} doesn't exist`);
        }
        const silent = state.now - store.lastHeartbeat;
        if (store.nodeState === "Serving" && silent <= state.timings.storeDisconnectedAfterMilliseconds) {
            return invalid(`store ${id} is up and connected`);
        }
    }
    const failed = state.stores.filter(({ id }) => ids.includes(id));
    const survives = ({ id, engine }: Store) => !ids.includes(id) && engine === "tikv";
    const voters = (index: number) => regionOf(state, index).peers.filter(({ role }) => role !== "Learner");
    const lost = regionsOn(state, failed).filter((index) => {
        const all = voters(index);
        return all.filter(({ store }) => survives(store)).length * 2 <= all.length;
    });
    const gone = lost.filter((index) => !voters(index).some(({ store }) => survives(store)));
    for (const store of failed.filter(({ nodeState }) => nodeState !== "Removed")) {
        store.nodeState = "Removed";
        record(state, "store-tombstone", { storeId: store.id, pod: store.pod });
    }
    state.recovery = {
        failed: ids,
        output: [],
        left: [
            "collect report",
            ...(lost.length > gone.length ? (["force leader"] as const) : []),
            ...(lost.length > 0 ? (["demote Failed voter"] as const) : []),
            ...(gone.length > 0 ? (["create empty region"] as const) : []),
            ...(lost.length > 0 ? (["exit force leader"] as const) : []),
        ],
        stageBegan: state.now,
        timeoutAt: state.now + timeoutSeconds * 1000,
        lost,
        gone,
    };
    enter(state, state.recovery, [`Failed stores ${ids.join(", ")}`]);
    record(state, "recovery-begun", { detail: ids.join(", ") });
    return undefined;
}

/** Goes on to the next stage once all stores that are left have reported since this one began, or gives up. */
export function stepRecovery(state: ClusterState): void {
    const { recovery } = state;
    if (recovery === undefined || !isRunning(state)) {
        return;
    }
    if (state.now > recovery.timeoutAt) {
        giveUp(state, recovery, `Exceeds timeout ${new Date(recovery.timeoutAt).toISOString()}`);
    } else if (unreported(state, recovery).length === 0) {
        if (recovery.left[0] === "demote Failed voter") {
            forget(state, recovery);
        }
        recovery.left = recovery.left.slice(1);
        if (recovery.left.length > 0) {
            enter(state, recovery);
        } else {
            end(state, recovery);
        }
    }
}

/** What PD shows of it. */
export function shownRecovery(state: ClusterState): WireRecoveryStage[] {
    const { recovery } = state;
    if (recovery === undefined) {
        return [{ info: "No on-going recovery." }];
    }
    return isRunning(state) ? [...recovery.output, reports(state, recovery)] : recovery.output;
}

/** While it runs, PD moves no leaders and no regions. */
export function isRunning({ recovery }: ClusterState): boolean {
    return recovery !== undefined && recovery.left.length > 0;
}

/** A store is asked with one heartbeat, and reports with a later one. */
function unreported(state: ClusterState, { stageBegan }: UnsafeRecovery): Store[] {
    const from = stageBegan + state.timings.storeHeartbeatMilliseconds;
    return waitedFor(state).filter((store) => !store.running || store.lastHeartbeat <= from);
}

function waitedFor(state: ClusterState): Store[] {
    return state.stores.filter(({ nodeState }) => nodeState !== "Removed");
}

/** The surviving replicas of the regions go on without those on the failed stores. */
function forget(state: ClusterState, { failed }: UnsafeRecovery): void {
    for (const store of state.stores.filter(({ id }) => failed.includes(id))) {
        store.regions = store.leaders = 0;
    }
}

function enter(state: ClusterState, recovery: UnsafeRecovery, details?: string[]): void {
    recovery.stageBegan = state.now;
    say(state, recovery, `Unsafe recovery enters ${recovery.left[0]} stage`, details);
}

function giveUp(state: ClusterState, recovery: UnsafeRecovery, error: string): void {
    recovery.error ??= error;
    if (recovery.left[0] === "exit force leader") {
        recovery.left = [];
        end(state, recovery);
        return;
    }
    recovery.left = ["exit force leader"];
    recovery.timeoutAt = state.now + heartbeatsToExit * state.timings.storeHeartbeatMilliseconds;
    enter(state, recovery, [`triggered by error: ${recovery.error}`]);
}

function end(state: ClusterState, recovery: UnsafeRecovery): void {
    const { error, failed, lost, gone } = recovery;
    const tables = [...new Set(lost.map(tableOf))];
    say(state, recovery, error === undefined ? "Unsafe recovery Finished" : `Unsafe recovery Failed: ${error}`, [
        ...(tables.length === 0 ? [] : [`affected table ids: ${tables.join(", ")}`]),
        gone.length === 0 ? "no newly created empty regions" : `newly created empty regions: ${gone.join(", ")}`,
    ]);
    record(state, error === undefined ? "recovery-finished" : "recovery-failed", { detail: failed.join(", ") });
}

function say(state: ClusterState, { output }: UnsafeRecovery, info: string, details?: string[]): void {
    output.push({ info, time: timeOf(state), ...(details === undefined ? {} : { details }) });
}

function reports(state: ClusterState, recovery: UnsafeRecovery): WireRecoveryStage {
    const all = waitedFor(state);
    const missing = unreported(state, recovery);
    const time = timeOf(state);
    if (missing.length === 0) {
        return { info: `Collected reports from all ${all.length} alive stores`, time };
    }
    const idsOf = (stores: readonly Store[]) => stores.map(({ id }) => id).join(", ");
    const isAsked = ({ running }: Store) => running;
    return {
        info: `Collecting reports from alive stores(${all.length - missing.length}/${all.length})`,
        time,
        details: [
            `Stores that have not dispatched plan: ${idsOf(missing.filter((store) => !isAsked(store)))}`,
            `Stores that have reported to PD: ${idsOf(all.filter((store) => !missing.includes(store)))}`,
            `Stores that have not reported to PD: ${idsOf(missing.filter(isAsked))}`,
        ],
    };
}

function timeOf({ now }: ClusterState): string {
    return new Date(now).toISOString().replace("T", " ").replace("Z", "");
}
