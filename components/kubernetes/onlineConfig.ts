import { isSetOnline } from "../../provider/lifecycle/configEffects";
import { settingOf } from "../../provider/lifecycle/settings/settingIn";
import type { Setting, Settings } from "../../provider/lifecycle/vocabulary/settings";
import type { Component } from "../../topology/members";
import { isTable, pathOfKey, type TomlTable, type TomlValue } from "./toml";

/** The settings of a member that gates can set. */
export interface OnlineScope {
    readonly component: Component;
    /** Whether the program creates root's password: some settings of TiDB take a login. */
    readonly hasRoot: boolean;
}

/** @returns the values of a configuration that gates can set on running servers, by dotted key. */
export function onlineSettings(scope: OnlineScope, config: TomlTable, path = ""): Settings {
    const entries = Object.entries(config).flatMap(([key, value]): [string, Setting][] => {
        const at = pathOfKey(path, key);
        if (isTable(value)) {
            return Object.entries(onlineSettings(scope, value, at));
        }
        const setting = settingOf(value);
        return setting !== undefined && isSettable(scope, at) ? [[at, setting]] : [];
    });
    return Object.fromEntries(entries);
}

/**
 * Returns a configuration without the values that gates can set on running servers. A table without values is left out, so a
 * first value in it changes nothing either.
 */
export function withoutOnlineSettings(scope: OnlineScope, config: TomlTable, path = ""): TomlTable {
    const entries = Object.entries(config).flatMap(([key, value]): [string, TomlValue][] => {
        const at = pathOfKey(path, key);
        if (isTable(value)) {
            const inner = withoutOnlineSettings(scope, value, at);
            return Object.keys(inner).length === 0 ? [] : [[key, inner]];
        }
        return settingOf(value) !== undefined && isSettable(scope, at) ? [] : [[key, value]];
    });
    return Object.fromEntries(entries);
}

function isSettable({ component, hasRoot }: OnlineScope, key: string): boolean {
    return isSetOnline(component, key, hasRoot);
}
