import { estimateFrom } from "../lifecycle/estimates/rates";
import { type Estimate, withTimes } from "../lifecycle/estimates/expectedTime";
import { notKnown } from "../lifecycle/vocabulary/evidence";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import type { PlanStep } from "../lifecycle/walks/planStep";
import type { PlanPorts } from "../cluster/gatePorts";

/** @returns the steps with how long they are expected to take by the cluster's own records. Without a step there is no estimate. */
export async function estimateOf(
    steps: readonly PlanStep[],
    ports: Pick<PlanPorts, "operations">,
    observation: Observation,
    target: MemberTarget,
): Promise<{ steps: readonly PlanStep[]; estimate?: Estimate }> {
    if (steps.length === 0) {
        return { steps };
    }
    const records = (await ports.operations?.()) ?? notKnown("the journal was not read");
    return records.known
        ? withTimes(steps, estimateFrom(records.value, observation.cluster, target.component), observation, target)
        : { steps, estimate: records };
}
