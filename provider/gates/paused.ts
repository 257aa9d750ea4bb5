import type { GateReport } from "./gateDefinition";
import { subjectOf } from "./gateSubject";
import { describeRefusals } from "../lifecycle/vocabulary/ownership";

/** Inputs that a paused gate always takes from this run: how to reach the cluster. */
const ofThisRun = ["access", "leaseUid", "pd", "statusUrn", "gate", "__provider"];

/**
 * Turns what `check` found into the result for a paused cluster (`spec.paused`): no step, and the inputs of the last
 * update, so the first run after the pause sees everything that changed meanwhile. A resource that is not deployed yet is
 * refused, because Pulumi would create it.
 */
export function withhold(
    olds: Record<string, unknown>,
    { inputs, refused = [] }: GateReport,
): Pick<GateReport, "inputs" | "refused"> & { withheld: string[] } {
    if (Object.keys(olds).length === 0) {
        const reason = `found true, expected false until ${subjectOf(inputs)} is deployed: nothing new is created in a paused cluster`;
        return { inputs: { ...inputs, plan: [] }, refused: [{ property: "spec.paused", reason }], withheld: [] };
    }
    const withheld = [...(inputs.plan as string[]), ...refused.map((one) => describeRefusals([one]))];
    const current = Object.entries(inputs).filter(([field]) => ofThisRun.includes(field));
    return {
        inputs: { ...olds, ...Object.fromEntries(current), paused: true, plan: [], deferred: "paused: spec.paused" },
        withheld,
    };
}
