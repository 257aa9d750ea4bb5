import { estimateFrom } from "../lifecycle/estimates/rates";
import { type Estimate, expectedTime } from "../lifecycle/estimates/expectedTime";
import { notKnown } from "../lifecycle/vocabulary/evidence";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import type { PlanStep } from "../lifecycle/walks/plan";
import type { PlanPorts } from "../cluster/gatePorts";

/** @returns how long the steps are expected to take by the cluster's own records; undefined if there is no step. */
export async function estimateOf(
    steps: readonly PlanStep[],
    ports: Pick<PlanPorts, "operations">,
    observation: Observation,
    target: MemberTarget,
): Promise<Estimate | undefined> {
    if (steps.length === 0) {
        return undefined;
    }
    const records = (await ports.operations?.()) ?? notKnown("the journal was not read");
    return records.known
        ? expectedTime(steps, estimateFrom(records.value, observation.cluster, target.component), observation, target)
        : records;
}
