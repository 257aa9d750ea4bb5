import { soundLeaders } from "../stages/trustedCounts";
import type { Observation } from "../vocabulary/observation";
import type { ActEntry } from "./journalOperation";

/**
 * @param target the pod that an action is for.
 * @returns how many leaders and regions its store has. The store itself is asked only shortly before it stops, and PD can know the
 * leaders only once its leader has led for a while, so the leaders may be missing.
 */
export function seenCounts(observation: Observation, target: string): Pick<ActEntry, "leaders" | "regions"> {
    const { stores } = observation.pd;
    const store = stores.known ? stores.value.find(({ podName, own }) => own && podName === target) : undefined;
    if (store === undefined) {
        return {};
    }
    const sound = soundLeaders(observation);
    const own = observation.ownLeaders[target];
    const leaders = (sound.known ? sound.value.get(store.id) : undefined) ?? (own?.known ? own.value : undefined);
    return { ...(leaders === undefined ? {} : { leaders }), regions: store.regionCount };
}
