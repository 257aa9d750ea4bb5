import { isDeepStrictEqual } from "node:util";

type Values = Record<string, unknown>;

/**
 * Numbers the plan that `check` made, so that `diff` can tell a new plan from one that was carried out, even if both have the same words.
 * The number is in the inputs, so an update that succeeds also stores it in the outputs.
 * @param olds the inputs of the last update; empty if there was none.
 */
export function withPlanNumber(olds: Values, inputs: Values): Values {
    const before = (olds.planNumber as number | undefined) ?? 0;
    const planNumber = hasPlan(inputs) ? before + 1 : before;
    return planNumber === 0 ? inputs : { ...inputs, planNumber };
}

/**
 * Pulumi's refresh compares a resource in reverse: the inputs of the last update, with their plan, are the new ones. Gates have no
 * `read`, so the outputs are those of that update. In an update, `check` has given the plan a new number.
 * @param olds the outputs of the last update.
 * @returns whether the last update carried out the plan of these inputs.
 */
export function isCarriedOut(olds: Values, inputs: Values): boolean {
    if (!hasPlan(inputs) || inputs.planNumber === undefined) {
        return false;
    }
    // A state whose inputs were written without the number counts from the beginning again: then other inputs tell the plans apart.
    return Object.entries(inputs).every(([key, value]) => key === outputAlone || isDeepStrictEqual(olds[key], value));
}

/** The only input that an update may store with another value: a ScaleGate lets more replicas through than its plan said. */
const outputAlone = "replicas";

function hasPlan({ plan }: Values): boolean {
    return Array.isArray(plan) && plan.length > 0;
}
