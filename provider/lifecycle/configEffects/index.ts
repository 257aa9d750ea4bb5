import type { Component } from "../../../topology/members";
import type { ConfigEffects } from "./configEffects";
import { pdEffects } from "./pdEffects";
import { tidbEffects } from "./tidbEffects";
import { tiflashEffects } from "./tiflashEffects";
import { tikvEffects } from "./tikvEffects";
import { tiproxyEffects } from "./tiproxyEffects";

/** By member. One that is not here reads all of its configuration at each start, and has no other way to change it. */
export const configEffects: Readonly<Partial<Record<Component, ConfigEffects>>> = {
    pd: pdEffects,
    tikv: tikvEffects,
    tidb: tidbEffects,
    tiflash: tiflashEffects,
    tiproxy: tiproxyEffects,
};
