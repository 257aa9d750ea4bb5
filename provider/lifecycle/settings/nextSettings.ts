import { memberName } from "../../../topology/names";
import { type Memory, mayAct } from "../vocabulary/memory";
import type { Action, Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { inWords, type Setting, type SettingsRecord, someOf } from "../vocabulary/settings";
import { waitOrFail } from "../vocabulary/waitOrFail";
import type { PlanStep } from "../walks/plan";
import { sameSetting } from "./sameSetting";
import {
    type DueKey,
    isWritten,
    lackingSettings,
    type SettingsTarget,
    type SettingsWork,
    settingsWork,
    unknownServers,
    unreportedKeys,
} from "./settingsPlan";
import { earlierValue, earlierValues } from "./settingsRecord";

/** How many servers are changed at once, after the first one has taken over its settings. */
const serversAtOnce = 16;
/** How long a server that accepted a setting may take to report it, in seconds. */
const takeOverSeconds = 30;
/** How long a failing run waits for a server, in seconds, before it leaves the rest of the undoing to the next run. */
const undoSeconds = 30;
/** The steps' names in messages. */
const [step, undoStep] = ["set", "undo"];

type SetSettings = Extract<Action, { do: "set-settings" }>;

/**
 * Returns the next move until every server says what the program says, for each key whose value in the ConfigMap is another
 * one, and for each key that an earlier run has begun. The first server is changed alone: if it refuses, no other one was
 * touched. What was set is on record until the ConfigMap says the same.
 *
 * @param mustBeWritten whether the ConfigMap must say it by now. Before the update writes it, it does not.
 */
export function nextSettingsMove(
    observation: Observation,
    target: SettingsTarget,
    memory: Memory,
    mustBeWritten = false,
): Move {
    const { component } = target;
    const on = memberName(observation.cluster, component);
    const wait = (lacks: string, advice: string): Move =>
        waitOrFail(observation, target, memory, { step, target: on, lacks, advice });
    const work = settingsWork(observation, target);
    if (!work.known) {
        return wait(work.why, `make the ConfigMap of ${on} readable; nothing was set`);
    }
    const { due, servers, record } = work.value;
    if (due.length === 0) {
        return { kind: "done" };
    }
    const unknown = unknownServers(work.value);
    if (unknown.length > 0) {
        return wait(
            `every server must be asked first: ${someOf(unknown)}`,
            "make every server run and answer, or set `operations.rollout.online` to false",
        );
    }
    const unreported = unreportedKeys(work.value);
    if (unreported !== undefined) {
        return { kind: "fail", problem: { step, target: on, ...refusedKey(unreported) } };
    }
    const lacking = lackingSettings(work.value);
    if (lacking.length === 0) {
        if (record !== undefined && isWritten(work.value)) {
            return { kind: "act", action: { do: "forget-settings", component }, step, target: on };
        }
        return mustBeWritten && !isWritten(work.value)
            ? wait(
                  `the ConfigMap of ${on} does not have the new settings`,
                  "run `pulumi up` again: it writes the ConfigMap",
              )
            : { kind: "done" };
    }
    const sets = lacking.length === servers.length ? lacking.slice(0, 1) : lacking.slice(0, serversAtOnce);
    const action: SetSettings = { do: "set-settings", component, sets, record: recordOf(work.value, observation.now) };
    const advice = `look into the log of ${sets[0].server}, and correct the value`;
    return setOrWait(observation, memory, { action, step, on, seconds: takeOverSeconds, advice });
}

/**
 * Returns the next move until each server has the values back that it had before the run, for the keys that the ConfigMap does
 * not have yet. A key that it has stays: the servers are to say the same.
 */
export function nextUndoMove(
    observation: Observation,
    { component, policy }: Pick<SettingsTarget, "component" | "policy">,
    memory: Memory,
): Move {
    const on = memberName(observation.cluster, component);
    const record = observation.records.settings?.[component];
    if (record === undefined) {
        return { kind: "done" };
    }
    const advice = "run `pulumi up` again: it knows what was set";
    const wait = (lacks: string): Move =>
        waitOrFail(observation, { policy }, memory, {
            step: undoStep,
            target: on,
            lacks,
            advice,
            seconds: undoSeconds,
        });
    // No key is wanted any more: each one on record goes back.
    const work = settingsWork(observation, { component, policy, settings: {} });
    if (!work.known) {
        return wait(work.why);
    }
    const { due } = work.value;
    const undone = due.filter(({ key, file }) => !sameSetting(file, record.keys[key]?.to));
    const lacking = lackingSettings({ ...work.value, due: undone });
    if (lacking.length > 0) {
        const action: SetSettings = { do: "set-settings", component, sets: lacking.slice(0, serversAtOnce), record };
        return setOrWait(observation, memory, { action, step: undoStep, on, seconds: takeOverSeconds, advice });
    }
    const unknown = unknownServers(work.value);
    if (unknown.length > 0) {
        return wait(someOf(unknown));
    }
    return undone.length === due.length
        ? { kind: "act", action: { do: "forget-settings", component }, step: undoStep, target: on }
        : { kind: "done" };
}

/** @returns the step of the plan; none if nothing is to be set and no earlier run has left anything. */
export function planSettings(observation: Observation, target: SettingsTarget): PlanStep[] {
    const work = settingsWork(observation, target);
    if (!work.known || work.value.due.length === 0) {
        return [];
    }
    const { due, servers, record } = work.value;
    const lacking = lackingSettings(work.value);
    const unknown = unknownServers(work.value);
    if (lacking.length === 0 && unknown.length === 0 && record === undefined) {
        return [];
    }
    const changes = due.map(describeChange);
    const others = servers.length - 1;
    return [
        {
            kind: "set",
            component: target.component,
            target: memberName(observation.cluster, target.component),
            why: record === undefined ? "without a restart" : "without a restart; an earlier run began it",
            does: [
                changes.join(", "),
                ...(others > 0 ? [`first on ${lacking[0]?.server ?? servers[0].name}, then on the others`] : []),
            ],
            waitsFor: others > 0 ? `all ${servers.length} report it` : "it is read back",
            estimateSeconds: 2 + 2 * Math.ceil(others / serversAtOnce),
            ...(unknown.length > 0 ? { risk: `not all can be asked: ${someOf(unknown)}` } : {}),
        },
    ];
}

function describeChange({ key, file, wanted }: DueKey): string {
    if (wanted === undefined) {
        return `${key} back to its earlier value`;
    }
    return sameSetting(file, wanted) ? `${key} back to ${wanted}` : `${key} from ${file ?? "its default"} to ${wanted}`;
}

/** @returns why the keys cannot be changed online, if a server does not have one of them. */
export function refuseSettings(
    observation: Observation,
    target: SettingsTarget,
): { seen: string; next: string } | undefined {
    const work = settingsWork(observation, target);
    const unreported = work.known ? unreportedKeys(work.value) : undefined;
    return unreported && refusedKey(unreported);
}

/** Sets the settings, or waits until the servers report what they accepted. Each group of servers has a timeout of its own. */
function setOrWait(
    observation: Observation,
    memory: Memory,
    {
        action,
        step: name,
        on,
        seconds,
        advice,
    }: { action: SetSettings; step: string; on: string; seconds: number; advice: string },
): Move {
    const [{ server, settings }] = action.sets;
    const lacks = `${server} does not report ${inWords(settings)}`;
    const policy = { podReadyTimeoutSeconds: seconds };
    const waiting = waitOrFail(observation, { policy }, memory, {
        step: `${name} ${server}`,
        target: on,
        lacks,
        advice,
    });
    return waiting.kind === "fail" || !mayAct(memory, action, observation.now)
        ? waiting
        : { kind: "act", action, step: name, target: on, waitAs: `${name} ${server}` };
}

function refusedKey({ server, key }: { server: string; key: string }): { seen: string; next: string } {
    return {
        seen: `${server} does not report ${key}, so it cannot be read back`,
        next: "correct the key, or set `operations.rollout.online` to false: then a restart applies it",
    };
}

/** The record of what is about to be changed. A key that an earlier run has begun keeps the values from before that run. */
function recordOf({ due, servers, record }: SettingsWork, now: number): SettingsRecord {
    const keys = due.map(({ key, wanted }): [string, SettingsRecord["keys"][string]] => {
        const known = record?.keys[key];
        const values = servers.flatMap(({ name, live }): [string, Setting][] =>
            live.known ? [[name, live.value[key]]] : [],
        );
        const before = known?.before ?? earlierValues(Object.fromEntries(values));
        return [key, { to: wanted ?? known?.to ?? earlierValue(before, ""), before }];
    });
    return { begunAt: record?.begunAt ?? now, keys: Object.fromEntries(keys) };
}
