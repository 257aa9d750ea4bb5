import type { DryRun } from "../lifecycle/dryRun/dryRun";
import type { Action } from "../lifecycle/vocabulary/actions";
import { certainFailure } from "../lifecycle/dryRun/holds";
import type { Problem } from "../lifecycle/vocabulary/move";
import type { Refusal } from "../lifecycle/vocabulary/ownership";

/**
 * A gate could not finish. The message names the step, the pod or store, what was found, and what to do next. It ends with the code in
 * brackets, unless it begins with it.
 */
export class GateError extends Error {
    override readonly name = "GateError";
    constructor(
        readonly problem: Problem,
        options?: ErrorOptions,
    ) {
        const { code, step, target, seen, next } = problem;
        const about = [step, ...(target === undefined ? [] : [target]), seen].join(": ");
        super(`${about}. Next: ${next}.${step === code ? "" : ` [${code}]`}`, options);
    }
}

/** @returns the refusal of a preview whose update would fail with the problem. */
export function refusalOf(problem: Problem): Refusal {
    return { property: "", reason: new GateError(problem).message, code: problem.code };
}

/** @returns the refusal of a preview whose update is certain to fail before it takes a step; undefined if it is not. */
export function refusalAhead(run: DryRun, property: string, prepares?: readonly Action["do"][]): Refusal | undefined {
    const failure = certainFailure(run, prepares);
    return failure && { ...refusalOf(failure), property };
}
