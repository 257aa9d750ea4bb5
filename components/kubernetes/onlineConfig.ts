import { isSetOnline } from "../../provider/lifecycle/configEffects";
import { settingOf } from "../../provider/lifecycle/settings/settingIn";
import type { Setting, Settings } from "../../provider/lifecycle/vocabulary/settings";
import type { Component } from "../../topology/members";
import { isTable, type TomlTable, type TomlValue } from "./toml";

/** @returns the values of a configuration that gates can set on running servers, by dotted key. */
export function onlineSettings(component: Component, config: TomlTable, path = ""): Settings {
    const entries = Object.entries(config).flatMap(([key, value]): [string, Setting][] => {
        const at = joined(path, key);
        if (isTable(value)) {
            return Object.entries(onlineSettings(component, value, at));
        }
        const setting = settingOf(value);
        return setting !== undefined && isSetOnline(component, at) ? [[at, setting]] : [];
    });
    return Object.fromEntries(entries);
}

/**
 * Returns a configuration without the values that gates can set on running servers. A table without values is left out, so a
 * first value in it changes nothing either.
 */
export function withoutOnlineSettings(component: Component, config: TomlTable, path = ""): TomlTable {
    const entries = Object.entries(config).flatMap(([key, value]): [string, TomlValue][] => {
        const at = joined(path, key);
        if (isTable(value)) {
            const inner = withoutOnlineSettings(component, value, at);
            return Object.keys(inner).length === 0 ? [] : [[key, inner]];
        }
        return settingOf(value) !== undefined && isSetOnline(component, at) ? [] : [[key, value]];
    });
    return Object.fromEntries(entries);
}

function joined(path: string, key: string): string {
    return path === "" ? key : `${path}.${key}`;
}
