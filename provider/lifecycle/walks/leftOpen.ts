import type { Component } from "../../../topology/members";
import { memberLifecycles } from "../members/memberLifecycles";
import type { LeftOpen } from "../vocabulary/memberLifecycle";
import type { Observation } from "../vocabulary/observation";
import { openBatch } from "./leftBatch";

/** @returns what an earlier run has begun with a member, and not ended. */
export function leftOpenIn(observation: Observation, component: Component): LeftOpen[] {
    return [...(memberLifecycles[component].leftOpen?.(observation) ?? []), ...openBatch(observation, component)];
}
