import { clusterKey } from "../facts/etcd";
import { shareForSchedulers } from "../facts/schedulers";
import type { ClusterState, Member, Store } from "./cluster";
import { deleteKey, extendLeases, putKey, uint64 } from "./etcd";
import { loadEvictions } from "./evictions";
import { memberMessage } from "./memberMessage";
import type { RegionChecks } from "./pdState";
import { regionChecks } from "./regionChecks";

/** When a store first reports to a new leader, in store heartbeats. Measured on a PD 8.5.4 with simulated stores. */
const firstReport = { follower: 0.8, resending: 0.9, waiting: 0.03 };

/** When a follower that took over has received all regions that stores report again, in store heartbeats. */
const resentToFollower = 0.2;

/**
 * The maximum age of the last heartbeat that a new leader starts with, in store heartbeats. PD saves it in etcd only
 * every 5 min.
 */
const heartbeatKeptFor = 15;

/** The number of saved timestamps that stand for a leadership from before the simulation. */
const savedWhileBackdated = 120;

/** Makes a member PD's leader. */
export function beginLeadership(state: ClusterState, member: Member): void {
    const { knowsLeaders } = member;
    const { storeHeartbeatMilliseconds: beat, metricsMilliseconds, schedulerCheckMilliseconds } = state.timings;
    state.leadership = {
        since: state.now,
        soughtSince: state.leaderLostAt,
        knewLeaders: knowsLeaders,
        hasAllReports: false,
        hasSchedulers: false,
        nextSchedulerCheck: state.now + schedulerCheckMilliseconds,
        nextMetrics: state.now + metricsMilliseconds,
    };
    state.evictions = new Set();
    state.paused = new Set();
    const report = state.timings.resendsAfterElection ? firstReport.resending : firstReport.waiting;
    for (const store of state.stores) {
        const spread = 0.8 + 0.1 * (store.id % 3);
        store.unreported = knowsLeaders ? store.unreported : store.leaders;
        store.reportsFrom = state.leaderLostAt + (knowsLeaders ? firstReport.follower : report) * spread * beat;
        store.lastHeartbeat -= store.running && store.lastHeartbeat > 0 ? heartbeatKeptFor * beat : 0;
    }
    putKey(state, leaderKey(state), memberMessage(member), String(state.etcd.nextLeaseId++));
    saveTimestamp(state, Math.max(state.now, state.timestamp));
    extendLeases(state);
    if (knowsLeaders) {
        loadSchedulers(state);
    }
}

/** Ends the leadership of PD's leader. */
export function endLeadership(state: ClusterState): void {
    if (state.leadership !== undefined) {
        state.stores.forEach((store) => (store.unreported = unreportedLeaders(state, store)));
        deleteKey(state, leaderKey(state));
        state.leadership = undefined;
        state.recovery = undefined;
        state.leaderLostAt = state.now;
    }
}

/**
 * Advances PD's leader: it receives reports, loads its schedulers, updates its gauges and saves its timestamp. `alive`
 * are the members that follow it.
 */
export function stepLeadership(state: ClusterState, alive: Member[]): void {
    const { leadership, timings } = state;
    if (leadership === undefined) {
        return;
    }
    const reported = reportedShare(state);
    if (reported === 1 && !leadership.hasAllReports) {
        // It sends new information to its followers only once. A follower that restarts later does not get it again.
        leadership.hasAllReports = true;
        alive.filter(() => !leadership.knewLeaders).forEach((member) => (member.knowsLeaders = true));
    }
    if (!leadership.hasSchedulers && state.now >= leadership.nextSchedulerCheck) {
        leadership.nextSchedulerCheck = state.now + timings.schedulerCheckMilliseconds;
        if (reported >= shareForSchedulers) {
            loadSchedulers(state);
        }
    }
    if (state.now >= leadership.nextMetrics) {
        leadership.nextMetrics = state.now + timings.metricsMilliseconds;
        leadership.counted = { ...reportedChecks(state), withSchedulers: leadership.hasSchedulers };
    }
    if (state.now >= state.timestamp) {
        saveTimestamp(state, state.now);
    }
}

/** The number of a store's leaders that were not reported to PD. Negative if PD counts more leaders than there are. */
export function unreportedLeaders(state: ClusterState, store: Store): number {
    const hidden = ({ unreported, leaders }: Store) =>
        Math.min(leaders, Math.floor(Math.max(0, unreported) * (1 - reportedShare(state, store))));
    if (store.unreported >= 0) {
        return hidden(store);
    }
    // A region that PD attributes to the wrong store is counted there, so the sum is complete.
    const imagined = state.stores.reduce((sum, { unreported }) => sum + Math.min(0, unreported), 0);
    const misplaced = state.stores.reduce((sum, one) => sum + hidden(one), 0);
    return -Math.round((misplaced * store.unreported) / imagined);
}

/** The region checks as PD's leader reports them. It counts only regions reported since its election. */
export function reportedChecks(state: ClusterState): RegionChecks {
    const share = state.faults.blindPd ? 0 : reportedShare(state);
    const reported = (indexes: number[]) => indexes.slice(0, Math.floor(indexes.length * share));
    const { miss, down, pending, offline, learner } = regionChecks(state);
    return {
        miss: reported(miss),
        down: reported(down),
        pending: reported(pending),
        offline: reported(offline),
        learner: reported(learner),
    };
}

/** Makes the leadership of a leader elected during setup appear longer, so a test finds a long-standing leader. */
export function backdateLeadership(state: ClusterState, milliseconds: number): void {
    if (state.leadership !== undefined) {
        const { now, etcd, timings } = state;
        [...etcd.keys.values()].flat().forEach((version) => (version.at -= milliseconds));
        etcd.keys.delete(timestampKey(state));
        state.leadership.since -= milliseconds;
        const step = Math.max(timings.timestampSaveMilliseconds, milliseconds / savedWhileBackdated);
        for (let at = now - milliseconds; at < now; at += step) {
            saveTimestamp({ ...state, now: at }, at);
        }
        saveTimestamp(state, now);
    }
}

/** The key that PD's leader holds in etcd. */
function leaderKey(state: ClusterState): string {
    return clusterKey(state.clusterId, "leader");
}

/** The key under which PD saves its timestamp. */
function timestampKey(state: ClusterState): string {
    return clusterKey(state.clusterId, "timestamp");
}

/**
 * The share of the regions, in total or among those led by a store, that were reported to PD's leader since its
 * election.
 */
function reportedShare(state: ClusterState, store?: Store): number {
    const { leadership, timings } = state;
    if (leadership === undefined) {
        return 0;
    }
    if (!timings.resendsAfterElection) {
        return Math.min(1, (state.now - leadership.since) / timings.regionHeartbeatMilliseconds);
    }
    const { storeHeartbeatMilliseconds: beat } = timings;
    const delay = leadership.knewLeaders ? resentToFollower : 0.8 + (store === undefined ? 0.2 : 0.1 * (store.id % 3));
    const reconnected = leadership.soughtSince + delay * beat;
    const looked = leadership.since + (store === undefined ? resentToFollower * beat : 0);
    return state.now >= Math.max(reconnected, looked) ? 1 : 0;
}

function loadSchedulers(state: ClusterState): void {
    state.leadership!.hasSchedulers = true;
    loadEvictions(state);
}

function saveTimestamp(state: ClusterState, from: number): void {
    state.timestamp = from + state.timings.timestampSaveMilliseconds;
    putKey(state, timestampKey(state), uint64(BigInt(Math.round(state.timestamp * 1000)) * 1000n));
}
