import type { PlanItem } from "../../../provider/lifecycle/walks/describePlan";
import { stepInWords } from "../../../provider/lifecycle/walks/planStep";

/** @returns the steps of a plan in short, such as `restart basic-tikv-3`. */
export function stepsIn(plan: readonly PlanItem[]): string[] {
    return plan.flatMap((item) => ("step" in item ? [stepInWords(item.step)] : []));
}
