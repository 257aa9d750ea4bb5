import { type Fact, notKnown } from "../vocabulary/evidence";
import type { LeaderLimits } from "../vocabulary/leaderLimits";
import type { Observation } from "../vocabulary/observation";
import { type Settings, someOf } from "../vocabulary/settings";
import { dueServers, lackingSettings, settingsWork, unknownServers } from "./settingsPlan";

/** PD's setting that a restart of a store raises for a time. */
const key = "schedule.leader-schedule-limit";

/** @returns whether the update may set PD's limit: the program has it, or an earlier run has begun to set it. */
export function maySetLimit({ records }: Pick<Observation, "records">, settings: Settings): boolean {
    return Object.hasOwn(settings, key) || Object.hasOwn(records.settings?.pd?.keys ?? {}, key);
}

/**
 * @param asked what was seen of PD's settings. If that is not known, neither is the limit.
 * @param settings PD's settings in the program.
 * @returns the observation with PD's limit as it is once the update has set it, which it does before it restarts stores.
 */
export function withLimitSet(observation: Observation, asked: Fact<Observation>, settings: Settings): Observation {
    const { leaderLimits } = observation.pd;
    return leaderLimits.known
        ? { ...observation, pd: { ...observation.pd, leaderLimits: limitsOnceSet(leaderLimits, asked, settings) } }
        : observation;
}

function limitsOnceSet(
    now: Extract<Fact<LeaderLimits>, { known: true }>,
    asked: Fact<Observation>,
    settings: Settings,
): Fact<LeaderLimits> {
    if (!asked.known) {
        return asked;
    }
    const work = settingsWork(asked.value, { component: "pd", settings });
    if (!work.known) {
        return work;
    }
    const unknown = unknownServers(dueServers(work.value), work.value.due);
    if (unknown.length > 0) {
        return notKnown(someOf(unknown));
    }
    const set = lackingSettings(work.value).find((one) => Object.hasOwn(one.settings, key))?.settings[key];
    return set === undefined ? now : { ...now, value: { ...now.value, "leader-schedule-limit": Number(set) } };
}
