import { memberLifecycles } from "../members/memberLifecycles";
import type { ForeseenStep } from "../stages/foreseen";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewOf } from "../vocabulary/stage";
import type { PlanStep } from "./planStep";

/** Plans one pod after the other, each as the cluster will be after the steps before it. */
export function planInTurn(
    observation: Observation,
    views: readonly PodView[],
    result: ForeseenStep,
    stepOf: (view: PodView) => PlanStep | undefined,
): PlanStep[] {
    const steps: PlanStep[] = [];
    let foreseen = observation;
    for (const planned of views) {
        const { target, ordinal } = planned;
        const view = foreseen === observation ? planned : viewOf(foreseen, target, ordinal);
        const step = stepOf(view);
        if (step) {
            steps.push(step);
            foreseen = memberLifecycles[target.component].foresees?.(view, result) ?? foreseen;
        }
    }
    return steps;
}
