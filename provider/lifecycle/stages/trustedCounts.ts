import { type Fact, known, notKnown } from "../vocabulary/evidence";
import type { StageTimeout, PodView } from "../vocabulary/stage";
import type { Observation, ObservedHeartbeats, ObservedLeadership, ObservedStore } from "../vocabulary/observation";
import { counted } from "../vocabulary/counted";
import { onceFor } from "../vocabulary/onceFor";

/**
 * When PD's counts of leaders, regions and peers can be trusted. A newly elected PD leader knows the regions but not their
 * leaders: until the stores have reported each region once, it answers HTTP 200 with counts that are too low. Measured on
 * three real PD 8.5.4 members after elections of each kind; see docs/safety.md.
 */

/** TiKV's defaults: `raftstore.pd-heartbeat-tick-interval` and `raftstore.pd-store-heartbeat-tick-interval`. */
export const defaultHeartbeats: ObservedHeartbeats = { region: 60_000, store: 10_000 };
/** PD updates its region gauges every 10 s from the reports. */
const countedAfterMilliseconds = 10_000;
/**
 * TiKV refreshes its gauge of leaders every 10 s, by a timer that starts with the process and that no setting changes
 * (tikv/tikv components/raftstore/src/coprocessor/region_info_accessor.rs, `METRICS_FLUSH_INTERVAL`; the same in 6.5, 7.5 and 8.5).
 */
const leadersGaugeMilliseconds = 10_000;

/** @returns how often the stores report; TiKV's defaults if no store could be queried. */
export function heartbeatsOf({ heartbeats }: Observation): ObservedHeartbeats {
    return heartbeats.known ? heartbeats.value : defaultHeartbeats;
}

/**
 * @returns how old a store's own count of leaders may be, in milliseconds: two readings that are closer together may be one. It is the
 * longer of the gauge's timer and the store's heartbeat.
 */
export function leadersGaugeAge(observation: Observation): number {
    return Math.max(leadersGaugeMilliseconds, heartbeatsOf(observation).store);
}

/** @returns how long PD's leader must have led before its counts can be trusted, in milliseconds: 70 s with TiKV's defaults. */
export function settleTime(observation: Observation): number {
    return heartbeatsOf(observation).region + countedAfterMilliseconds;
}

/** Time for an election and for loading the schedulers, in seconds. */
const electionSeconds = 60;

/** @returns the timeout for facts that PD knows only after its leader has led for a while. */
export function timeoutWithPd({ observation, target }: Pick<PodView, "observation" | "target">): StageTimeout {
    const settled = settleTime(observation) / 1000 + electionSeconds;
    return { seconds: Math.max(target.policy.podReadyTimeoutSeconds, settled), then: "fail" };
}

/**
 * @returns the leadership, if it has been held long enough, did not change while the rest of the observation was read, and has
 * loaded its schedulers.
 */
export function settledLeadership(observation: Observation): Fact<ObservedLeadership> {
    const leadership = heldLeadership(observation);
    return !leadership.known || leadership.value.hasSchedulers
        ? leadership
        : notKnown(`${leadership.value.leader} has not loaded its schedulers`);
}

/** The same, whether or not it has loaded its schedulers: PD may not do so while regions have no leader. */
export function heldLeadership(observation: Observation): Fact<ObservedLeadership> {
    const { leadership } = observation.pd;
    if (!leadership.known) {
        return leadership;
    }
    const { leader, heldFor, isSteady } = leadership.value;
    if (!isSteady) {
        return notKnown("PD's leader changed during the queries");
    }
    const needed = settleTime(observation);
    if (heldFor < needed) {
        // Rounded apart, so the text never says that the time is over before it is.
        const [led, enough] = [Math.floor(heldFor / 1000), Math.ceil(needed / 1000)];
        return notKnown(`${leader} has led PD for ${led} s, and its counts can be trusted only after ${enough} s`);
    }
    return leadership;
}

/** @returns the leader count of each store by store id, if PD can know it. */
export function soundLeaders(observation: Observation): Fact<ReadonlyMap<number, number>> {
    const leadership = settledLeadership(observation);
    const { stores } = observation.pd;
    if (!leadership.known) {
        return leadership;
    }
    if (!stores.known) {
        return stores;
    }
    const { since, regionCount } = leadership.value;
    const unreported = stores.value.find((store) => store.state === "Up" && isFromBefore(store, since));
    if (unreported) {
        return notKnown(`store ${unreported.id} (${unreported.podName}) has not reported to PD's current leader`);
    }
    const { sum, byStore } = leadersByPd(stores.value);
    return sum < regionCount
        ? notKnown(`PD knows the leaders of ${sum} of ${counted(regionCount, "region")}`)
        : known(byStore, stores.from, Math.min(stores.at, leadership.at));
}

const leadersByPd = onceFor((stores: readonly ObservedStore[]) => ({
    sum: stores.reduce((total, { leaderCount }) => total + leaderCount.reported, 0),
    byStore: new Map(stores.map(({ id, leaderCount }) => [id, leaderCount.reported])),
}));

function isFromBefore(store: ObservedStore, since: number | undefined): boolean {
    return store.lastHeartbeat === undefined || (since !== undefined && store.lastHeartbeat < since);
}
