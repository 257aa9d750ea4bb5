import type { PlanItem } from "./describePlan";
import type { PlanStep } from "./planStep";

/** What is not work: a note, what the update only reads or waits for, and how to consent to the plan. */
const notWork = ["note", "reading", "missing", "held", "approval"] as const;

/** An entry of a plan that is work: a step, one that is not decided, or a task. */
export type Work = Exclude<PlanItem, { is: (typeof notWork)[number] }>;

/** @returns whether entries of this kind are work. */
export function isWork(is: PlanItem["is"]): is is Work["is"] {
    return !notWork.some((one) => one === is);
}

/** @returns the entries of a plan that are work, in order. */
export function workOf(plan: readonly PlanItem[]): Work[] {
    return plan.filter((item): item is Work => isWork(item.is));
}

/** @returns the decided steps among the work. */
export function stepsOf(work: readonly Work[]): PlanStep[] {
    return work.flatMap((item) => (item.is === "step" ? [item.step] : []));
}
