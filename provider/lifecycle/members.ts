import type { MemberLifecycle } from "./memberLifecycle";
import type { Component } from "./observation";
import { pdLifecycle } from "./pdMember";
import { tidbLifecycle } from "./tidbMember";
import { tikvLifecycle } from "./tikvMember";

/** Every member's rules, by its component. */
export const memberLifecycles: Readonly<Record<Component, MemberLifecycle>> = {
    pd: pdLifecycle,
    tikv: tikvLifecycle,
    tidb: tidbLifecycle,
};
