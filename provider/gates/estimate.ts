import { estimateFrom } from "../lifecycle/estimates/rates";
import { type Estimate, withTimes } from "../lifecycle/estimates/expectedTime";
import { allSteps, type PlannedSteps } from "../lifecycle/dryRun/planSteps";
import { notKnown } from "../lifecycle/vocabulary/evidence";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import type { PlanPorts } from "../cluster/gatePorts";

/** @returns the steps with how long they are expected to take by the cluster's own records. Without a step there is no estimate. */
export async function estimateOf(
    planned: PlannedSteps,
    ports: Pick<PlanPorts, "operations">,
    observation: Observation,
    target: MemberTarget,
): Promise<PlannedSteps & { readonly estimate?: Estimate }> {
    const steps = allSteps(planned);
    if (steps.length === 0) {
        return planned;
    }
    const records = (await ports.operations?.()) ?? notKnown("the journal was not read");
    if (!records.known) {
        return { ...planned, estimate: records };
    }
    const rates = estimateFrom(records.value, observation.cluster, target.component);
    const timed = withTimes(steps, rates, observation, target);
    const at = planned.foreseen.length;
    return { foreseen: timed.steps.slice(0, at), rest: timed.steps.slice(at), estimate: timed.estimate };
}
