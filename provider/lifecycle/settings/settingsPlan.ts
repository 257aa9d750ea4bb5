import type { Component } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { podName } from "../../../topology/podNames";
import { configEffects } from "../configEffects";
import { type Fact, notKnown } from "../vocabulary/evidence";
import type { Observation } from "../vocabulary/observation";
import {
    type ObservedSettings,
    type ServerSettings,
    type Setting,
    type Settings,
    type SettingsRecord,
    someOf,
} from "../vocabulary/settings";
import type { MemberTarget } from "../vocabulary/target";
import { sameSetting } from "./sameSetting";
import { earlierValue } from "./settingsRecord";

/** The settings that the program asks for, as far as they can be changed while the member's servers run. */
export interface SettingsTarget extends Pick<MemberTarget, "component" | "policy"> {
    readonly settings: Settings;
}

/** A key to bring about on every server. */
export interface DueKey {
    readonly key: string;
    /** What the ConfigMap says now; undefined if it says nothing. */
    readonly file: Setting | undefined;
    /** The program's value; undefined if the program no longer has the key: then each server gets its earlier value back. */
    readonly wanted: Setting | undefined;
}

/** A server that was asked, or that is still to be asked. */
export interface Server {
    readonly name: string;
    readonly uid?: string;
    readonly live: Fact<Settings>;
}

/** What of the program's settings is still to be done, and where. */
export interface SettingsWork {
    readonly due: readonly DueKey[];
    readonly servers: readonly Server[];
    readonly record: SettingsRecord | undefined;
}

/** @returns what is to be done; not known as long as the ConfigMap is not known. */
export function settingsWork(observation: Observation, { component, settings }: SettingsTarget): Fact<SettingsWork> {
    const seen = settingsOf(observation, component);
    if (!seen.file.known) {
        return seen.file;
    }
    const file = seen.file.value;
    const record = observation.records.settings?.[component];
    const isDue = (key: string) =>
        (record !== undefined && Object.hasOwn(record.keys, key)) ||
        (file !== undefined && !sameSetting(valueIn(settings, key), valueIn(file, key)));
    const keys = [...new Set([...Object.keys(settings), ...Object.keys(record?.keys ?? {})])].filter(isDue).sort();
    const due = keys.map((key) => ({ key, file: valueIn(file ?? {}, key), wanted: valueIn(settings, key) }));
    return { ...seen.file, value: { due, servers: serversOf(observation, seen), record } };
}

/** @returns what the server is to say for the key; undefined if that is not known, and nothing is to be changed. */
function goalOf({ key, wanted }: DueKey, server: string, record: SettingsRecord | undefined): Setting | undefined {
    const recorded = record?.keys[key];
    return wanted ?? (recorded && earlierValue(recorded.before, server));
}

/** @returns what each server still lacks, for the servers that are known. */
export function lackingSettings({ due, servers, record }: SettingsWork): ServerSettings[] {
    return servers.flatMap(({ name, uid, live }) => {
        if (!live.known) {
            return [];
        }
        const lacking = due.flatMap((key): [string, Setting][] => {
            const goal = goalOf(key, name, record);
            return goal === undefined || sameSetting(goal, valueIn(live.value, key.key)) ? [] : [[key.key, goal]];
        });
        return lacking.length === 0 ? [] : [{ server: name, uid, settings: Object.fromEntries(lacking) }];
    });
}

/** @returns the keys that a server does not report: it does not have them, so nothing can be read back. */
export function unreportedKeys({ due, servers }: SettingsWork): { server: string; key: string } | undefined {
    for (const { name, live } of servers) {
        const key = live.known ? due.find((one) => valueIn(live.value, one.key) === undefined)?.key : undefined;
        if (key !== undefined) {
            return { server: name, key };
        }
    }
    return undefined;
}

/** @returns whether the ConfigMap says what the program asks for, in every key that is due. */
export function isWritten({ due }: SettingsWork): boolean {
    return due.every(({ file, wanted }) => sameSetting(file, wanted));
}

/** @returns the servers of which nothing is known, each with the reason. */
export function unknownServers({ servers }: SettingsWork): string[] {
    return servers.flatMap(({ live }) => (live.known ? [] : [live.why]));
}

/**
 * Describes settings that were changed outside of the program: a server says otherwise than the program, and the program did
 * not change. They stay: only a change of the program's own value overwrites them.
 * @returns one line for each key and value.
 */
export function changedOutside(observation: Observation, target: SettingsTarget): string[] {
    const work = settingsWork(observation, target);
    if (!work.known) {
        return [];
    }
    const { due, servers } = work.value;
    const found = new Map<string, { key: string; live: Setting; on: string[] }>();
    for (const { name, live } of servers) {
        for (const [key, wanted] of Object.entries(target.settings)) {
            const value = live.known ? valueIn(live.value, key) : undefined;
            if (value !== undefined && !due.some((one) => one.key === key) && !sameSetting(value, wanted)) {
                const group = `${key} ${value}`;
                found.set(group, { key, live: value, on: [...(found.get(group)?.on ?? []), name] });
            }
        }
    }
    return [...found.values()].map(
        ({ key, live, on }) =>
            `${key} is ${live} on ${someOf(on)}, but ${target.settings[key]} in the program: it was changed outside the program, and stays until the program's value changes`,
    );
}

function valueIn(settings: Settings, key: string): Setting | undefined {
    return Object.hasOwn(settings, key) ? settings[key] : undefined;
}

function settingsOf({ settings }: Observation, component: Component): ObservedSettings {
    return settings?.component === component
        ? settings
        : { component, file: notKnown("the settings were not requested"), live: {} };
}

/** Every server that the StatefulSet is to have: one that does not exist now may start at any moment, and reads the file. */
function serversOf({ cluster, members }: Observation, { component, live }: ObservedSettings): Server[] {
    const { statefulSet, pods } = members[component] ?? { pods: [] };
    const answer = (name: string): Fact<Settings> =>
        Object.hasOwn(live, name) ? live[name] : notKnown(`${name} does not run`);
    if (configEffects[component]?.setOnline?.on === "member") {
        const name = memberName(cluster, component);
        return (statefulSet?.replicas ?? 0) === 0 ? [] : [{ name, live: answer(name) }];
    }
    const expected = Array.from({ length: statefulSet?.replicas ?? 0 }, (_, ordinal) =>
        podName(cluster, component, ordinal),
    );
    const names = [...new Set([...expected, ...pods.map(({ name }) => name)])];
    return names.map((name) => ({ name, uid: pods.find((pod) => pod.name === name)?.uid, live: answer(name) }));
}
