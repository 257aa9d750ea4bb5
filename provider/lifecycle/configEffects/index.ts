import type { Component } from "../../../topology/members";
import { type ConfigEffects, isAmong } from "./configEffects";
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

/** @returns whether gates can set the key on the member's running servers. */
export function isSetOnline(component: Component, key: string): boolean {
    return isAmong(key, configEffects[component]?.setOnline?.keys ?? []);
}
