type Values = Record<string, unknown>;

/**
 * Numbers the plan that `check` made: a new plan differs from one that was carried out, even if both have the same words. Pulumi
 * compares the inputs with those of the last update, so the number is enough for it to run the gate. See `diff` in `gates.ts`.
 * @param olds the inputs of the last update; empty if there was none.
 */
export function withPlanNumber(olds: Values, inputs: Values): Values {
    const before = (olds.planNumber as number | undefined) ?? 0;
    const planNumber = hasPlan(inputs) ? before + 1 : before;
    return planNumber === 0 ? inputs : { ...inputs, planNumber };
}

function hasPlan({ plan }: Values): boolean {
    return Array.isArray(plan) && plan.length > 0;
}
