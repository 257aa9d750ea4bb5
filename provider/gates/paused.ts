import type { CheckResult } from "./gateDefinition";

/** What of a paused gate's inputs is always this run's: how the cluster is reached. */
const ofThisRun = ["access", "leaseUid", "pd", "statusUrn", "gate", "__provider"];

/**
 * What `check` finds for a cluster that is paused (`spec.paused`): no step, and the inputs of before, so that the first
 * run that is not paused sees everything that changed meanwhile. What is not deployed yet is refused: it would be made.
 */
export function withhold(
    olds: Record<string, unknown>,
    { inputs, failures = [] }: CheckResult,
): CheckResult & { withheld: string[] } {
    if (Object.keys(olds).length === 0) {
        const reason =
            "spec.paused: found true, expected false: this is not deployed yet, and a paused cluster gets nothing new";
        return { inputs: { ...inputs, plan: [] }, failures: [{ property: "", reason }], withheld: [] };
    }
    const withheld = [...(inputs.plan as string[]), ...failures.map(({ reason }) => reason)];
    const current = Object.entries(inputs).filter(([field]) => ofThisRun.includes(field));
    return {
        inputs: { ...olds, ...Object.fromEntries(current), paused: true, plan: [], deferred: "paused: spec.paused" },
        withheld,
    };
}
