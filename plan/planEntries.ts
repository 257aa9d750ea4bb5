import type { PlannedGate } from "../components/gatesOf";
import { type PlanItem, showPlan } from "../provider/lifecycle/walks/describePlan";
import type { PlanEntry } from "./clusterPlan";

/** Returns a gate's plan as entries of the cluster's plan. */
export function planEntries({ name, component }: PlannedGate, plan: readonly PlanItem[]): PlanEntry[] {
    const lines = showPlan(plan);
    return plan.map((item, index) => ({
        gate: name,
        component: component ?? null,
        type: item.is,
        text: lines[index],
        ...("code" in item ? { code: item.code } : {}),
        ...("step" in item ? { step: item.step } : {}),
        ...("digest" in item ? { digest: item.digest } : {}),
    }));
}
