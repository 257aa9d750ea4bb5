import type { Problem } from "../vocabulary/move";
import type { PlanItem } from "../walks/describePlan";
import type { DryRun } from "./dryRun";

/** @returns the line of the plan that says where the update waits for what none of its steps brings about, or fails; none if it is done at its end. */
export function endItems({ end }: Pick<DryRun, "end">): PlanItem[] {
    switch (end.is) {
        case "done":
            return [];
        case "not foreseen":
            return [
                {
                    is: "note",
                    code: "end-not-foreseen",
                    words: "the update is not foreseen to its end: it may be held where the plan does not say so",
                    isWarning: false,
                },
            ];
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
 * @returns why the update is certain to fail before it takes a step; undefined if it is not. What follows from a step that is only foreseen is not certain.
 */
export function certainFailure({ end, moves }: DryRun): Problem | undefined {
    return end.is === "fails" && moves.every(({ is }) => is === "wait") ? end.problem : undefined;
}

function held(where: string, seen: string, next: string | undefined): PlanItem[] {
    return [{ is: "held", where, words: `${where}: ${seen}${adviceOf(next)}` }];
}

const adviceOf = (next: string | undefined) => (next === undefined ? "" : `. Next: ${next}`);
