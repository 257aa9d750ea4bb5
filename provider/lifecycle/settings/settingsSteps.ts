import { memberName } from "../../../topology/names";
import type { Observation } from "../vocabulary/observation";
import { counted } from "../vocabulary/counted";
import { someOf } from "../vocabulary/settings";
import type { DryRun } from "../dryRun/dryRun";
import { type DueStep, planSteps, type PlannedSteps } from "../dryRun/planSteps";
import { sameSetting } from "./sameSetting";
import {
    dueServers,
    type DueKey,
    isWritten,
    lackingSettings,
    type Server,
    type SettingsTarget,
    settingsWork,
    unknownServers,
} from "./settingsPlan";

/** How many servers are changed at once, after the first one has taken over its settings. */
export const serversAtOnce = 16;

/** @returns what is due for the settings: one step, or none if nothing is to be set and no earlier run has left anything. */
export function dueSettings(observation: Observation, target: SettingsTarget): DueStep[] {
    const work = settingsWork(observation, target);
    if (!work.known || work.value.due.length === 0) {
        return [];
    }
    const { due, record } = work.value;
    const servers = dueServers(work.value);
    const unknown = unknownServers(servers, due);
    // Without anything to set, only a record that is to be deleted makes a step, or a server that may lack it.
    const isLeft = isWritten(work.value) ? record !== undefined && unknown.length === 0 : unknown.length > 0;
    if (lackingSettings(work.value).length === 0 && !isLeft) {
        return [];
    }
    const name = memberName(observation.cluster, target.component);
    const changes = due.map((key) => describeChange(key, servers)).join(", ");
    const others = servers.length - 1;
    // PD as a whole keeps settings, and each of its pods has others.
    const isWhole = servers.some((server) => server.name === name);
    return [
        {
            kind: "set",
            component: target.component,
            target: name,
            why: `${changes}, without a restart${record === undefined ? "" : "; an earlier run began it"}`,
            waitsFor:
                others === 0
                    ? "it is read back"
                    : `${isWhole ? `${name} and its ${counted(others, "pod")}` : `all ${servers.length}`} report it`,
            risk: () => (unknown.length > 0 ? notAllAsked(unknown) : undefined),
        },
    ];
}

/** @returns the step of the plan, as its dry run has it. */
export function planSettings(run: DryRun, live: Observation, target: SettingsTarget): PlannedSteps {
    const { component } = target;
    return planSteps(run, dueSettings(live, target), live, { component, why: () => "without a restart" });
}

/** @returns whom the change waits for, and what ends that if such a server is waiting for this very change. */
export function notAllAsked(unknown: readonly string[]): string {
    return `not all can be asked: ${someOf(unknown)}. If one of them starts only with this change, end the run and set \`operations.rollout.online\` to false for this update`;
}

/** What a key is to become, from what the ConfigMap says or, if an earlier run has changed it, from what the servers say. */
function describeChange({ key, file, wanted }: DueKey, servers: readonly Server[]): string {
    if (wanted === undefined) {
        return `${key} back to its earlier value`;
    }
    const says = servers.flatMap(({ keys, live }) => (keys.includes(key) && live.known ? [live.value[key]] : []));
    // Somebody has set it by hand, or an earlier cluster had these volumes.
    const other = file === undefined ? undefined : says.find((value) => !sameSetting(value, file));
    const found = other === undefined ? "" : ` (found ${other})`;
    // The ConfigMap has none: what a server says may be its default, or somebody has set it.
    const before = file ?? (says.length === 0 ? "what it is" : [...new Set(says)].join(" and "));
    return says.length > 0 && says.every((value) => sameSetting(value, wanted))
        ? `${key} is ${wanted} already`
        : sameSetting(file, wanted)
          ? `${key} back to ${wanted}`
          : `${key} from ${before}${found} to ${wanted}`;
}

/** @returns what the user should know of keys that every server has already although the ConfigMap says otherwise. */
export function notWritten(observation: Observation, target: SettingsTarget): string[] {
    const work = settingsWork(observation, target);
    if (!work.known || isWritten(work.value)) {
        return [];
    }
    const servers = dueServers(work.value);
    const mayLack = lackingSettings(work.value).length > 0 || unknownServers(servers, work.value.due).length > 0;
    if (servers.length === 0 || mayLack) {
        return [];
    }
    return work.value.due.flatMap(({ key, file, wanted }) =>
        wanted === undefined || sameSetting(file, wanted)
            ? []
            : [
                  `${key} is ${wanted} on every server already, but the ConfigMap says ${file ?? "nothing"}: this update writes it; if it does not, somebody has changed the ConfigMap: run \`pulumi up --refresh\``,
              ],
    );
}

/** What is wrong with a key that a server does not have. */
export function refusedKey({ server, key }: { server: string; key: string }): { seen: string; next: string } {
    return {
        seen: `${server} does not report ${key}, so it cannot be read back`,
        next: "correct the key, or set `operations.rollout.online` to false: then a restart applies it",
    };
}
