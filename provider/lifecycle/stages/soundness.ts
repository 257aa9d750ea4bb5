import { type Fact, known, notKnown } from "../vocabulary/evidence";
import type { StageTimeout, PodView } from "../vocabulary/stage";
import type { Observation, ObservedHeartbeats, ObservedLeadership, ObservedStore } from "../vocabulary/observation";

/**
 * When PD's word on leaders, regions and their peers counts. A PD that has just been elected knows the regions, not who
 * leads them: it answers too low with HTTP 200, for as long as stores take to report each region once. Measured on three
 * real PD 8.5.4 after elections of each kind; see docs/safety.md.
 */

/** TiKV's defaults: `raftstore.pd-heartbeat-tick-interval` and `raftstore.pd-store-heartbeat-tick-interval`. */
export const defaultHeartbeats: ObservedHeartbeats = { region: 60_000, store: 10_000 };
/** PD counts regions for its gauges every 10 s, after they were reported. */
const countedAfterMilliseconds = 10_000;

/** @returns how often the stores report; TiKV's defaults where no store could be asked. */
export function heartbeatsOf({ heartbeats }: Observation): ObservedHeartbeats {
    return heartbeats.known ? heartbeats.value : defaultHeartbeats;
}

/** @returns for how long PD's leader must have led before its word counts, in milliseconds: 70 s with TiKV's defaults. */
export function settleTime(observation: Observation): number {
    return heartbeatsOf(observation).region + countedAfterMilliseconds;
}

/** PD loads its schedulers, and takes part in an election, within this time, in seconds. */
const electionSeconds = 60;

/** @returns how long to wait for what PD knows only once its leader has led for a while. */
export function timeoutWithPd({ observation, target }: Pick<PodView, "observation" | "target">): StageTimeout {
    const settled = settleTime(observation) / 1000 + electionSeconds;
    return { seconds: Math.max(target.policy.podReadyTimeoutSeconds, settled), then: "fail" };
}

/** @returns the leadership, once it has been held long enough and was the same before and after everything else was read. */
export function settledLeadership(observation: Observation): Fact<ObservedLeadership> {
    const { leadership } = observation.pd;
    if (!leadership.known) {
        return leadership;
    }
    const { leader, heldFor, isSteady, hasSchedulers } = leadership.value;
    if (!isSteady) {
        return notKnown("PD's leader changed while it was asked");
    }
    const needed = settleTime(observation);
    if (heldFor < needed) {
        const seconds = (milliseconds: number) => Math.round(milliseconds / 1000);
        return notKnown(
            `${leader} has led PD for ${seconds(heldFor)} s, and its counts can be trusted after ${seconds(needed)} s`,
        );
    }
    return hasSchedulers ? leadership : notKnown(`${leader} has not loaded its schedulers`);
}

/** @returns how many leaders each store has, by its id, where PD can know it. */
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
    const silent = stores.value.find((store) => store.state === "Up" && isFromBefore(store, since));
    if (silent) {
        return notKnown(`store ${silent.id} (${silent.podName}) has not reported to the leader of PD`);
    }
    const sum = stores.value.reduce((total, store) => total + store.leaderCount.reported, 0);
    if (sum < regionCount) {
        return notKnown(`PD knows the leaders of ${sum} of ${regionCount} regions`);
    }
    const byStore = new Map(stores.value.map((store) => [store.id, store.leaderCount.reported]));
    return known(byStore, stores.from, Math.min(stores.at, leadership.at));
}

function isFromBefore(store: ObservedStore, since: number | undefined): boolean {
    return store.lastHeartbeat === undefined || (since !== undefined && store.lastHeartbeat < since);
}
