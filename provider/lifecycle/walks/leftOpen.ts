import type { Component } from "../../../topology/members";
import { memberLifecycles } from "../members/memberLifecycles";
import type { LeftOpen } from "../vocabulary/memberLifecycle";
import type { Observation } from "../vocabulary/observation";
import { openBatch } from "./leftBatch";

/** @returns what an earlier run has begun with a member, and not ended. */
export function leftOpenIn(observation: Observation, component: Component): LeftOpen[] {
    return [...(memberLifecycles[component].leftOpen?.(observation) ?? []), ...openBatch(observation, component)];
}

/** @returns the step of a pod, with what it ends of that which an earlier run has left open for the pod. */
export function endingLeftOpen<Step extends { target: string; does: string[] }>(
    step: Step,
    open: readonly LeftOpen[],
): Step {
    const its = open.filter(({ pod }) => pod === step.target);
    const does = its.map((one) => one.does).join(", ");
    const why = its.map((one) => one.why).join("; ");
    return its.length === 0 ? step : { ...step, does: [...step.does, `afterwards ${does} (${why})`] };
}
