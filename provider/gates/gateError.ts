import type { Problem } from "../lifecycle/vocabulary/move";

/** A gate could not finish. The message names the step, the pod or store, what was found, and what to do next. */
export class GateError extends Error {
    override readonly name = "GateError";
    constructor(
        readonly problem: Problem,
        options?: ErrorOptions,
    ) {
        const { step, target, seen, next } = problem;
        super(`${[step, ...(target === undefined ? [] : [target]), seen].join(": ")}. Next: ${next}.`, options);
    }
}
