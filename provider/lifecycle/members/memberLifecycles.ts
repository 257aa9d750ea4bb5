import type { Component } from "../../../topology/members";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import { pdLifecycle } from "./pdMember";
import { schedulingLifecycle, tsoLifecycle } from "./pdmsMember";
import { pumpLifecycle } from "./pumpMember";
import { ticdcLifecycle } from "./ticdcMember";
import { tidbLifecycle } from "./tidbMember";
import { tiflashLifecycle } from "./tiflashMember";
import { tikvLifecycle } from "./tikvMember";
import { tiproxyLifecycle } from "./tiproxyMember";

/** The rules of every member, by component. */
export const memberLifecycles: Readonly<Record<Component, MemberLifecycle>> = {
    tso: tsoLifecycle,
    scheduling: schedulingLifecycle,
    pd: pdLifecycle,
    tiflash: tiflashLifecycle,
    tikv: tikvLifecycle,
    tidb: tidbLifecycle,
    tiproxy: tiproxyLifecycle,
    pump: pumpLifecycle,
    ticdc: ticdcLifecycle,
};
