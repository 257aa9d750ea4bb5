import type { Component } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { podName } from "../../../topology/podNames";
import { settableKeysOf } from "../configEffects";
import { type Fact, notKnown } from "../vocabulary/evidence";
import type { Observation } from "../vocabulary/observation";
import {
    type BarredKeys,
    type ObservedSettings,
    type ServerSettings,
    type Setting,
    type Settings,
    type SettingsRecord,
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
    /** The keys of the program and of the record that this server has: PD's pods have other keys than PD as a whole. */
    readonly keys: readonly string[];
    readonly live: Fact<Settings>;
    /** Keys that it could not be asked for although it answers, each with the reason. */
    readonly unasked: Settings;
}

/** What of the program's settings is still to be done, and where. */
export interface SettingsWork {
    readonly due: readonly DueKey[];
    readonly servers: readonly Server[];
    readonly record: SettingsRecord | undefined;
    /** Why no server can be asked for some of the keys that are due; undefined if each can. */
    readonly barred: BarredKeys | undefined;
}

/**
 * @param changed keys that the update changes, whatever the ConfigMap says by now. Default: none.
 * @returns what is to be done; not known as long as the ConfigMap is not known.
 */
export function settingsWork(
    observation: Observation,
    { component, settings }: Pick<SettingsTarget, "component" | "settings">,
    changed: readonly string[] = [],
): Fact<SettingsWork> {
    const seen = settingsOf(observation, component);
    if (!seen.file.known) {
        return seen.file;
    }
    const file = seen.file.value;
    const record = observation.records.settings?.[component];
    const isDue = (key: string) =>
        (record !== undefined && Object.hasOwn(record.keys, key)) ||
        (file !== undefined && (changed.includes(key) || !sameSetting(valueIn(settings, key), valueIn(file, key))));
    const all = [...new Set([...Object.keys(settings), ...Object.keys(record?.keys ?? {})])].sort();
    const due = all
        .filter(isDue)
        .map((key) => ({ key, file: valueIn(file ?? {}, key), wanted: valueIn(settings, key) }));
    const { barred } = seen;
    const isBarred = barred !== undefined && due.some(({ key }) => barred.keys.includes(key));
    const servers = serversOf(observation, seen, all);
    return { ...seen.file, value: { due, servers, record, barred: isBarred ? barred : undefined } };
}

/** @returns what the server is to say for the key; undefined if that is not known, and nothing is to be changed. */
function goalOf({ key, wanted }: DueKey, server: string, record: SettingsRecord | undefined): Setting | undefined {
    const recorded = record?.keys[key];
    return wanted ?? (recorded && earlierValue(recorded.before, server));
}

/** @returns what each server still lacks, for the servers that are known. */
export function lackingSettings({ due, servers, record }: SettingsWork): ServerSettings[] {
    return servers.flatMap(({ name, uid, live, keys, unasked }) => {
        if (!live.known) {
            return [];
        }
        const lacking = due.flatMap((one): [string, Setting][] => {
            const goal = goalOf(one, name, record);
            const says = valueIn(live.value, one.key);
            // A server of a later version may not have the key any more. Then there is nothing to take back.
            const isGone = one.wanted === undefined && says === undefined;
            return !keys.includes(one.key) || Object.hasOwn(unasked, one.key) || isGone || goal === undefined
                ? []
                : sameSetting(goal, says)
                  ? []
                  : [[one.key, goal]];
        });
        return lacking.length === 0 ? [] : [{ server: name, uid, settings: Object.fromEntries(lacking) }];
    });
}

/** @returns the keys that a server does not report: it does not have them, so nothing can be read back. */
export function unreportedKeys({ due, servers }: SettingsWork): { server: string; key: string } | undefined {
    for (const { name, live, keys, unasked } of servers) {
        const says = live.known ? live.value : undefined;
        const missing = due.find(
            ({ key, wanted }) =>
                says !== undefined &&
                wanted !== undefined &&
                keys.includes(key) &&
                !Object.hasOwn(unasked, key) &&
                valueIn(says, key) === undefined,
        );
        if (missing !== undefined) {
            return { server: name, key: missing.key };
        }
    }
    return undefined;
}

/** @returns whether the ConfigMap says what the program asks for, in every key that is due and that the program asks for. */
export function isWritten({ due }: SettingsWork): boolean {
    return due.every(({ file, wanted }) => wanted === undefined || sameSetting(file, wanted));
}

/** @returns the servers that have a key that is due. */
export function dueServers({ due, servers }: SettingsWork): Server[] {
    return servers.filter(({ keys }) => due.some(({ key }) => keys.includes(key)));
}

/**
 * @param only the keys that matter. Default: all.
 * @returns the servers of which nothing is known, or not these keys: the reasons, each once.
 */
export function unknownServers(servers: readonly Server[], only?: readonly DueKey[]): string[] {
    const reasons = servers.flatMap(({ live, keys, unasked }) =>
        live.known
            ? keys
                  .filter((key) => Object.hasOwn(unasked, key) && (only?.some((one) => one.key === key) ?? true))
                  .map((key) => String(unasked[key]))
            : [live.why],
    );
    return [...new Set(reasons)];
}

/** @returns what these settings have for the key; undefined if they have it not. */
export function valueIn(settings: Settings, key: string): Setting | undefined {
    return Object.hasOwn(settings, key) ? settings[key] : undefined;
}

function settingsOf({ settings }: Observation, component: Component): ObservedSettings {
    return settings?.component === component
        ? settings
        : { component, file: notKnown("the settings were not requested"), live: {} };
}

/**
 * Every server that has one of the keys and that the StatefulSet is to have: one that does not exist now may start at any
 * moment, and reads the file.
 */
function serversOf(
    { cluster, members }: Observation,
    { component, live, unasked = {}, barred }: ObservedSettings,
    keys: readonly string[],
): Server[] {
    const everywhere = Object.fromEntries(barred?.keys.map((key) => [key, barred.seen]) ?? []);
    const { statefulSet, pods } = members[component] ?? { pods: [] };
    const on = (place: "pods" | "member") => keys.filter((key) => settableKeysOf(component, key)?.on === place);
    const server = (name: string, its: readonly string[]): Server => ({
        name,
        uid: pods.find((pod) => pod.name === name)?.uid,
        keys: its,
        live: Object.hasOwn(live, name) ? live[name] : notKnown(`${name} does not run`),
        unasked: { ...everywhere, ...(Object.hasOwn(unasked, name) ? unasked[name] : {}) },
    });
    const [ofMember, ofPods] = [on("member"), on("pods")];
    const isRunning = (statefulSet?.replicas ?? 0) > 0;
    const expected = Array.from({ length: statefulSet?.replicas ?? 0 }, (_, ordinal) =>
        podName(cluster, component, ordinal),
    );
    const names = ofPods.length === 0 ? [] : [...new Set([...expected, ...pods.map(({ name }) => name)])];
    return [
        ...(ofMember.length > 0 && isRunning ? [server(memberName(cluster, component), ofMember)] : []),
        ...names.map((name) => server(name, ofPods)),
    ];
}
