import { clusterKey } from "../facts/etcd";
import { shareForSchedulers } from "../facts/schedulers";
import type { ClusterState, Member, Store } from "./cluster";
import { deleteKey, extendLeases, putKey, uint64 } from "./etcd";
import { loadEvictions } from "./evictions";
import { memberMessage } from "./memberMessage";
import type { RegionChecks } from "./pdState";
import { regionChecks } from "./regionChecks";

/** When a store first reports to a new leader, in store heartbeats: measured on a PD 8.5.4 with played stores. */
const firstReport = { follower: 0.8, resending: 0.9, silent: 0.03 };

/** When a follower that took over has all regions that stores resend, in store heartbeats. */
const resentToFollower = 0.2;

/** PD keeps a store's last heartbeat in etcd every 5 min only, and a new leader starts from that: in store heartbeats. */
const heartbeatKeptFor = 15;

/** Timestamps that stand for those of a leadership from before the cluster was played. */
const savedWhileBackdated = 120;

/** A member becomes PD's leader. */
export function beginLeadership(state: ClusterState, member: Member): void {
    const { knowsLeaders } = member;
    const { storeHeartbeatMilliseconds: beat, metricsMilliseconds, schedulerCheckMilliseconds } = state.timings;
    state.leadership = {
        since: state.now,
        soughtSince: state.leaderLostAt,
        knewLeaders: knowsLeaders,
        hasHeardAll: false,
        hasSchedulers: false,
        nextSchedulerCheck: state.now + schedulerCheckMilliseconds,
        nextMetrics: state.now + metricsMilliseconds,
    };
    state.evictions = new Set();
    state.paused = new Set();
    const report = state.timings.resendsAfterElection ? firstReport.resending : firstReport.silent;
    for (const store of state.stores) {
        const spread = 0.8 + 0.1 * (store.id % 3);
        store.unheard = knowsLeaders ? store.unheard : store.leaders;
        store.reportsFrom = state.leaderLostAt + (knowsLeaders ? firstReport.follower : report) * spread * beat;
        store.lastHeartbeat -= store.running ? heartbeatKeptFor * beat : 0;
    }
    putKey(state, leaderKey(state), memberMessage(member), String(state.etcd.nextLeaseId++));
    saveTimestamp(state, Math.max(state.now, state.timestamp));
    extendLeases(state);
    if (knowsLeaders) {
        loadSchedulers(state);
    }
}

/** PD's leader loses the leadership. */
export function endLeadership(state: ClusterState): void {
    if (state.leadership !== undefined) {
        state.stores.forEach((store) => (store.unheard = unheardLeaders(state, store)));
        deleteKey(state, leaderKey(state));
        state.leadership = undefined;
        state.leaderLostAt = state.now;
    }
}

/** Lets the leader hear, load its schedulers, count for its gauges and save its timestamp. `alive` are the members that listen to it. */
export function stepLeadership(state: ClusterState, alive: Member[]): void {
    const { leadership, timings } = state;
    if (leadership === undefined) {
        return;
    }
    const heard = heardShare(state);
    if (heard === 1 && !leadership.hasHeardAll) {
        // It tells its followers what is new to it, once: one that is restarted later does not hear it again.
        leadership.hasHeardAll = true;
        alive.filter(() => !leadership.knewLeaders).forEach((member) => (member.knowsLeaders = true));
    }
    if (!leadership.hasSchedulers && state.now >= leadership.nextSchedulerCheck) {
        leadership.nextSchedulerCheck = state.now + timings.schedulerCheckMilliseconds;
        if (heard >= shareForSchedulers) {
            loadSchedulers(state);
        }
    }
    if (state.now >= leadership.nextMetrics) {
        leadership.nextMetrics = state.now + timings.metricsMilliseconds;
        leadership.counted = { ...heardChecks(state), withSchedulers: leadership.hasSchedulers };
    }
    if (state.now >= state.timestamp) {
        saveTimestamp(state, state.now);
    }
}

/** Leaders of a store that PD has not heard of; fewer than none where PD believes in more than there are. */
export function unheardLeaders(state: ClusterState, store: Store): number {
    const hidden = ({ unheard, leaders }: Store) =>
        Math.min(leaders, Math.floor(Math.max(0, unheard) * (1 - heardShare(state, store))));
    if (store.unheard >= 0) {
        return hidden(store);
    }
    // A region that PD looks for on the wrong store is counted there: the sum stays complete.
    const imagined = state.stores.reduce((sum, { unheard }) => sum + Math.min(0, unheard), 0);
    const misplaced = state.stores.reduce((sum, one) => sum + hidden(one), 0);
    return -Math.round((misplaced * store.unheard) / imagined);
}

/** The checks of regions as PD's leader answers them: it counts what it has heard of since its election. */
export function heardChecks(state: ClusterState): RegionChecks {
    const share = state.faults.blindPd ? 0 : heardShare(state);
    const heard = (indexes: number[]) => indexes.slice(0, Math.floor(indexes.length * share));
    const { miss, down, pending, offline, learner } = regionChecks(state);
    return {
        miss: heard(miss),
        down: heard(down),
        pending: heard(pending),
        offline: heard(offline),
        learner: heard(learner),
    };
}

/** Has a leader that was elected while the cluster was made lead for longer than that, as one does that a test finds. */
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

/** Name of the key that PD's leader holds in etcd. */
function leaderKey(state: ClusterState): string {
    return clusterKey(state.clusterId, "leader");
}

/** Name of the key under which PD saves its timestamp. */
function timestampKey(state: ClusterState): string {
    return clusterKey(state.clusterId, "timestamp");
}

/** Share of the regions, of all or of those that a store leads, that PD's leader has heard of since its election. */
function heardShare(state: ClusterState, store?: Store): number {
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
