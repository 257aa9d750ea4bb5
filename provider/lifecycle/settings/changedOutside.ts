import { settableKeysOf } from "../configEffects";
import type { Component } from "../../../topology/members";
import { entriesOf } from "../vocabulary/leaderLimits";
import type { Observation } from "../vocabulary/observation";
import { runsNewest } from "../vocabulary/revision";
import { type Setting, someOf } from "../vocabulary/settings";
import { sameSetting } from "./sameSetting";
import { type SettingsTarget, settingsWork, valueIn } from "./settingsPlan";

/**
 * Describes settings in which a server says otherwise than the program, although the program did not change: those of pods that still
 * run an older revision, and those that were changed outside of the program. Only a restart of the pod, or a change of the program's
 * own value, overwrites them; PD itself keeps them over a restart.
 * @returns one line for each key and value.
 */
export function changedOutside(observation: Observation, target: SettingsTarget): string[] {
    const work = settingsWork(observation, target);
    if (!work.known) {
        return [];
    }
    const { due, servers } = work.value;
    const found = new Map<string, { key: string; live: Setting; why: string; on: string[] }>();
    for (const { name, live, keys } of servers) {
        const why = whyItDiffers(observation, target.component, name);
        for (const key of keys.filter((one) => Object.hasOwn(target.settings, one))) {
            const value = live.known ? valueIn(live.value, key) : undefined;
            if (
                value !== undefined &&
                !due.some((one) => one.key === key) &&
                !sameSetting(value, target.settings[key]) &&
                !isRaised(observation, target.component, key, value)
            ) {
                const group = [key, value, why].join();
                found.set(group, { key, live: value, why, on: [...(found.get(group)?.on ?? []), name] });
            }
        }
    }
    return [...found.values()].map(
        ({ key, live, why, on }) =>
            `${key} is ${live} on ${someOf(on)}, but ${target.settings[key]} in the program: ${why}`,
    );
}

/** No record tells which of them it was. */
const outside =
    "somebody has changed it outside the program, or the program has changed while operations.rollout.online was off or no server ran";

/**
 * @returns what the user should know of settings that a suspended member has stored itself, so that no step sets them. Whether the program
 * has changed them is not known: without a StatefulSet, nothing shows which ConfigMap counted.
 */
export function keptWhileSuspended(
    { members, notes }: Observation,
    { component, settings }: Pick<SettingsTarget, "component" | "settings">,
): string[] {
    const { statefulSet, claims = [] } = members[component] ?? {};
    // The note comes before the suspension. Without claims nothing is stored.
    const isSuspended = notes?.[component]?.suspended === true && statefulSet === undefined && claims.length > 0;
    const kept = Object.entries(settings).filter(([key]) => isSuspended && isStored(component, key));
    return kept.length === 0
        ? []
        : [
              `this update does not set ${someOf(kept.map(([key, value]) => `${key} = ${value}`))}: ${component} is suspended, and starts with the values that it has stored. Where it says otherwise once it runs, ${setByHand(component)}, or change the program's value in an update then`,
          ];
}

/** Whether the member keeps the key's value itself, over restarts and whatever its file says. */
function isStored(component: Component, key: string): boolean {
    return settableKeysOf(component, key)?.on === "member";
}

function setByHand(component: Component): string {
    return `use SET CONFIG ${component} or pd-ctl`;
}

function whyItDiffers({ members }: Observation, component: Component, server: string): string {
    const { pods, statefulSet } = members[component] ?? { pods: [] };
    const pod = pods.find(({ name }) => name === server);
    if (pod === undefined) {
        // Such a server keeps its values over restarts, whatever its file says.
        return `${outside}; it stays until the program's value changes again, or ${setByHand(component)}`;
    }
    return runsNewest(pod, statefulSet) === false
        ? "the pod runs an older revision, and gets the program's value when it restarts"
        : `${outside}; it stays until the pod restarts or the program's value changes`;
}

/** Whether a run has raised it, as its record says: it is put back, and no change of somebody else's. */
function isRaised({ records }: Observation, component: Component, key: string, live: Setting): boolean {
    const raised = entriesOf(records.raisedLimits?.limits ?? {});
    return raised.some(([name, { to }]) => component === "pd" && key === `schedule.${name}` && sameSetting(live, to));
}
