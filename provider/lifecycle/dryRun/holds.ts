import type { Action } from "../vocabulary/actions";
import type { Problem } from "../vocabulary/move";
import { type PlanItem, stepItems } from "../walks/describePlan";
import type { DryRun, ForeseenMove } from "./dryRun";
import type { PlannedSteps } from "./planSteps";

/** @returns the lines of a plan: its steps, and between those that are foreseen and the others where the update is held. */
export function planItems({ foreseen, rest }: PlannedSteps, run: Pick<DryRun, "end"> | undefined): PlanItem[] {
    return [...stepItems(foreseen), ...(run ? endItems(run) : []), ...stepItems(rest)];
}

/** @returns the line of the plan that says where the update waits for what none of its steps brings about, or fails; none if it is done at its end. */
export function endItems({ end }: Pick<DryRun, "end">): PlanItem[] {
    switch (end.is) {
        case "done":
            return [];
        case "not foreseen": {
            const { at } = end;
            const words =
                at === undefined
                    ? "the update is not foreseen to its end: it may be held where the plan does not say so"
                    : `the update is not foreseen from its wait at ${at.step} of ${at.target}, which may end by itself: ${at.waitingFor}`;
            return [{ is: "note", code: "end-not-foreseen", words, isWarning: false }];
        }
        case "held": {
            const { step, target, waitingFor, next } = end.at;
            return held(`held at ${step} of ${target}`, waitingFor, next);
        }
        case "fails": {
            const { step, target, seen, next } = end.problem;
            return held(`fails at ${step}${target ? ` of ${target}` : ""}`, seen, next);
        }
    }
}

/**
 * @param prepares the actions that only prepare a step, whose effects are certain. Default: there are none.
 * @returns why the update is certain to fail before it takes a step; undefined if it is not. What follows from a step that is only foreseen is not certain.
 */
export function certainFailure({ end, moves }: DryRun, prepares: readonly Action["do"][] = []): Problem | undefined {
    const isBefore = (one: ForeseenMove) =>
        one.is === "wait" || (one.is === "act" && prepares.includes(one.move.action.do));
    return end.is === "fails" && moves.every(isBefore) ? end.problem : undefined;
}

function held(where: string, seen: string, next: string | undefined): PlanItem[] {
    return [{ is: "held", where, words: `${where}: ${seen}${adviceOf(next)}` }];
}

const adviceOf = (next: string | undefined) => (next === undefined ? "" : `. Next: ${next}`);
