import { memberName } from "../../../topology/names";
import { type Memory, mayAct } from "../vocabulary/memory";
import type { Action } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { ProblemCode } from "../vocabulary/problemCodes";
import { inWords, type Setting, type SettingsRecord, someOf } from "../vocabulary/settings";
import { waitOrFail } from "../vocabulary/waitOrFail";
import { sameSetting } from "./sameSetting";
import {
    dueServers,
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
import { notAllAsked, refusedKey, serversAtOnce } from "./settingsSteps";

/** How long a server that accepted a setting may take to report it, in seconds. */
const takeOverSeconds = 30;
/** How long a failing run waits for a server, in seconds, before it leaves the rest of the undoing to the next run. */
const undoSeconds = 30;
/** The steps' names in messages. */
const [step, undoStep] = ["set", "undo"];

type SetSettings = Extract<Action, { do: "set-settings" }>;

/** When the settings are brought about. Before the update writes the ConfigMap, it does not have them. */
export interface AfterUpdate {
    /** The keys that the update has changed. They are set whatever is on record: somebody may have taken them back meanwhile. */
    readonly changed: readonly string[];
}

/**
 * Returns the next move until every server says what the program says, for each key whose value in the ConfigMap is another
 * one, and for each key that an earlier run has begun. The first server is changed alone: if it refuses, no other one was
 * touched. What was set is on record until the ConfigMap says the same.
 *
 * @param after set once the ConfigMap must have the settings. Default: it need not have them yet.
 */
export function nextSettingsMove(
    observation: Observation,
    target: SettingsTarget,
    memory: Memory,
    after?: AfterUpdate,
): Move {
    const { component } = target;
    const on = memberName(observation.cluster, component);
    const wait = (code: ProblemCode, lacks: string, advice: string): Move =>
        waitOrFail(observation, target, memory, { step, code, target: on, lacks, advice });
    const work = settingsWork(observation, target, after?.changed);
    if (!work.known) {
        return wait("settings-unknown", work.why, `make the ConfigMap of ${on} readable; nothing was set`);
    }
    const { due, record, barred } = work.value;
    if (due.length === 0) {
        return { kind: "done" };
    }
    // What the ConfigMap says already reaches a server that does not run when it starts, so it holds nothing up: the update may
    // be what makes the server start. After the update each server is asked.
    const isFinishing = after === undefined && isWritten(work.value);
    if (barred !== undefined && !isFinishing) {
        return {
            kind: "fail",
            problem: { code: "settings-without-login", step, target: on, seen: barred.seen, next: barred.next },
        };
    }
    const servers = dueServers(work.value);
    const unknown = unknownServers(servers, due);
    if (unknown.length > 0 && !isFinishing) {
        const keys = due.map(({ key }) => key).join(", ");
        return wait(
            "servers-not-asked",
            notAllAsked(unknown),
            `make every server run and answer; or leave ${keys} as before in this update`,
        );
    }
    const unreported = unreportedKeys(work.value);
    if (unreported !== undefined) {
        return { kind: "fail", problem: { code: "setting-not-online", step, target: on, ...refusedKey(unreported) } };
    }
    const lacking = lackingSettings(work.value);
    if (lacking.length === 0) {
        if (record !== undefined && isWritten(work.value) && unknown.length === 0 && barred === undefined) {
            return { kind: "act", action: { do: "forget-settings", component }, step, target: on };
        }
        return after !== undefined && !isWritten(work.value)
            ? wait(
                  "config-map-outdated",
                  `the ConfigMap of ${on} does not have the new settings`,
                  "run `pulumi up --refresh`: it writes the ConfigMap, also if somebody has changed it",
              )
            : { kind: "done" };
    }
    const isFirst = lacking.length === servers.length || due.some((one) => isNewValue(one, record));
    const sets = isFirst ? lacking.slice(0, 1) : lacking.slice(0, serversAtOnce);
    const action: SetSettings = { do: "set-settings", component, sets, record: recordOf(work.value, observation.now) };
    const advice = `look into the log of ${sets[0].server}, and correct the value`;
    return setOrWait(observation, memory, { action, step, on, seconds: takeOverSeconds, advice });
}

/**
 * Returns the next move until each server has the values back that it had before the run. A key that the ConfigMap has already
 * stays: the servers get it, too.
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
            code: "settings-not-undone",
            target: on,
            lacks,
            advice,
            seconds: undoSeconds,
        });
    const all = settingsWork(observation, { component, settings: {} });
    if (!all.known) {
        return wait(all.why);
    }
    const stay = all.value.due.filter(({ key, file }) => sameSetting(file, record.keys[key]?.to));
    const settings = Object.fromEntries(stay.map(({ key }) => [key, record.keys[key].to]));
    const work = settingsWork(observation, { component, settings });
    if (!work.known) {
        return wait(work.why);
    }
    const { due, barred } = work.value;
    const lacking = lackingSettings(work.value);
    if (lacking.length > 0) {
        const action: SetSettings = { do: "set-settings", component, sets: lacking.slice(0, serversAtOnce), record };
        return setOrWait(observation, memory, { action, step: undoStep, on, seconds: takeOverSeconds, advice });
    }
    if (barred !== undefined) {
        return {
            kind: "fail",
            problem: {
                code: "settings-without-login",
                step: undoStep,
                target: on,
                seen: barred.seen,
                next: barred.next,
            },
        };
    }
    const unknown = unknownServers(dueServers(work.value), due);
    return unknown.length > 0
        ? wait(someOf(unknown))
        : { kind: "act", action: { do: "forget-settings", component }, step: undoStep, target: on };
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
        code: "setting-not-reported",
        target: on,
        lacks,
        advice,
    });
    return waiting.kind === "fail" || !mayAct(memory, action, observation.now)
        ? waiting
        : { kind: "act", action, step: name, target: on, waitAs: `${name} ${server}` };
}

/** Whether no run has set the value yet, and no server had it when the first one began: a server may refuse it. */
function isNewValue({ key, wanted }: DueKey, record: SettingsRecord | undefined): boolean {
    const { to, before } = record?.keys[key] ?? {};
    return wanted !== undefined && !sameSetting(to, wanted) && !sameSetting(before?.most, wanted);
}

/** The record of what is about to be changed. A key that an earlier run has begun keeps the values from before that run. */
function recordOf({ due, servers, record }: SettingsWork, now: number): SettingsRecord {
    const keys = due.map(({ key, wanted }): [string, SettingsRecord["keys"][string]] => {
        const known = record?.keys[key];
        const values = servers.flatMap(({ name, live, keys: its }): [string, Setting][] =>
            live.known && its.includes(key) ? [[name, live.value[key]]] : [],
        );
        const before = known?.before ?? earlierValues(Object.fromEntries(values));
        return [key, { to: wanted ?? known?.to ?? earlierValue(before, ""), before }];
    });
    return { begunAt: record?.begunAt ?? now, keys: Object.fromEntries(keys) };
}
