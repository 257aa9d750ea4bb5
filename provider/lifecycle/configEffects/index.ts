import type { Component } from "../../../topology/members";
import { type ConfigEffects, isAmong, type SettableKeys } from "./configEffects";
import { pdEffects } from "./pdEffects";
import { tidbEffects } from "./tidbEffects";
import { tiflashEffects } from "./tiflashEffects";
import { tikvEffects } from "./tikvEffects";
import { tiproxyEffects } from "./tiproxyEffects";

/** The effects by member. A member that is not listed reads its whole configuration at each start and in no other way. */
export const configEffects: Readonly<Partial<Record<Component, ConfigEffects>>> = {
    pd: pdEffects,
    tikv: tikvEffects,
    tidb: tidbEffects,
    tiflash: tiflashEffects,
    tiproxy: tiproxyEffects,
};

/** @returns how gates set the key on the member's running servers; undefined if they do not. */
export function settableKeysOf(component: Component, key: string): SettableKeys | undefined {
    return configEffects[component]?.setOnline?.find(({ keys }) => isAmong(key, keys));
}

/**
 * @param hasRoot whether the program creates root's password: some keys take a login.
 * @returns whether gates can set the key on the member's running servers.
 */
export function isSetOnline(component: Component, key: string, hasRoot: boolean): boolean {
    const settable = settableKeysOf(component, key);
    return settable !== undefined && (hasRoot || settable.asRoot !== true);
}
