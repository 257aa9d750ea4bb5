import type { Component } from "../../../topology/members";
import type { Fact } from "./evidence";

/** A value of a setting, in one of the forms in which programs, files and servers write it: `"64MB"`, `60`, `true`. */
export type Setting = string | number | boolean;

/** Settings by dotted key: `raftstore.raft-log-gc-threshold`. */
export type Settings = Readonly<Record<string, Setting>>;

/** What a member's servers and its ConfigMap say of the settings that can be changed while servers run. */
export interface ObservedSettings {
    readonly component: Component;
    /** What the live ConfigMap says, hence what a pod that starts now reads; the value is undefined if the member has none. */
    readonly file: Fact<Settings | undefined>;
    /** What each server says that was asked: the pods, or the member's name if its servers share their settings. */
    readonly live: Readonly<Record<string, Fact<Settings>>>;
    /** Keys for which a server that answers could not be asked: by server and key, the reason. Default: none. */
    readonly unasked?: Readonly<Record<string, Settings>>;
    /** Keys for which no server can be asked before a person does something. Default: none. */
    readonly barred?: BarredKeys;
}

/** Keys that cannot be read or set on any server. */
export interface BarredKeys {
    readonly keys: readonly string[];
    readonly seen: string;
    readonly next: string;
}

/** Settings for one server: a pod, or the whole member if its servers share their settings. */
export interface ServerSettings {
    readonly server: string;
    /** UID of the pod. Default: it is not a pod. */
    readonly uid?: string;
    readonly settings: Settings;
}

/** The values that a setting had before a run changed it. */
export interface EarlierValues {
    /** The most frequent one. */
    readonly most: Setting;
    /** By server: those that differ. */
    readonly except: Settings;
}

/**
 * Settings that a run has begun to change on running servers. Kept in the cluster's Lease until the servers and the ConfigMap
 * say the same, or the earlier values are back.
 */
export interface SettingsRecord {
    /** By the clock of the machine that began it. For people only; no decision uses it. */
    readonly begunAt: number;
    readonly keys: Readonly<Record<string, { readonly to: Setting; readonly before: EarlierValues }>>;
}

/** @returns settings as people write them: `raftstore.apply-pool-size = 4`. */
export function inWords(settings: Settings): string {
    return Object.entries(settings)
        .map(([key, value]) => `${key} = ${value}`)
        .join(", ");
}

/** @returns what each of these servers is to say, once for all if it is the same. */
export function setsInWords(sets: readonly ServerSettings[]): string {
    const groups = new Map<string, string[]>();
    for (const { server, settings } of sets) {
        groups.set(inWords(settings), [...(groups.get(inWords(settings)) ?? []), server]);
    }
    return [...groups].map(([settings, on]) => `${settings} on ${someOf(on)}`).join("; ");
}

/** @returns the names, or the first of many. */
export function someOf(names: readonly string[]): string {
    return names.length <= 3 ? names.join(", ") : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
}
