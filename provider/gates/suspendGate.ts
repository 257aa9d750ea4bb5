import { memberName } from "../../topology/names";
import { planItems } from "../lifecycle/dryRun/holds";
import { notForeseen } from "../lifecycle/dryRun/planSteps";
import { deployedBeforeRecovery, refusalInRecovery } from "../lifecycle/walks/recoveryMode";
import { dueToSuspend, nextSuspendMove, planSuspend, type SuspendTarget } from "../lifecycle/walks/suspend";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";
import { podsWithDeletedClaims } from "../lifecycle/walks/volumesStay";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { PlanPorts } from "../cluster/gatePorts";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { SuspendProgramInputs } from "./inputs";
import { glance, lookForScale } from "./looks";
import { runOperation } from "./loop";
import { dryRun } from "../lifecycle/dryRun/dryRun";
import { runDry } from "./runDry";
import { operationApproval, planToApprove } from "./operationApproval";
import { killedStoresTold } from "./untilStopped";
import { refusalAhead } from "./gateError";
import type { GateDefinition } from "./gateDefinition";

function targetOf({ component, policy }: SuspendProgramInputs): SuspendTarget {
    return { component, policy };
}

/** Replaces a suspended member's StatefulSet: takes down all its pods at once and waits until they have ended. */
export const suspendGateDefinition: GateDefinition<SuspendProgramInputs> = {
    replicasOf: () => 0,
    plan: async (inputs, ports) => {
        const target = targetOf(inputs);
        const { look, seen: observation } = await lookAt(inputs, ports);
        const running = inputs.recoveryMode && deployedBeforeRecovery(observation, inputs);
        if (running) {
            return { plan: [], refused: refusalInRecovery(running, true) };
        }
        if (inputs.isProtected && dueToSuspend(observation, target).length > 0) {
            const name = memberName(inputs.cluster, inputs.component);
            const reason = `found true, expected no protection of a member that is suspended: this gate deletes StatefulSet ${name}, and Pulumi fails because it may not. Next: run \`pulumi up\` without \`protect\` and without \`suspendAction\`, then suspend`;
            return { plan: [], refused: { property: "protect", reason } };
        }
        const foreseen = await runDry(
            dryRun((seen, memory) => nextSuspendMove(seen, target, memory), observation),
            look,
            ports,
        );
        const { field = inputs.component } = memberLifecycles[inputs.component];
        const refused = refusalAhead(foreseen, `spec.${field}`);
        if (refused !== undefined) {
            return { plan: [], refused };
        }
        const steps = planSuspend(foreseen, observation, target);
        const toApprove = planToApprove(inputs, descriptionOf(inputs), planned(inputs, observation), observation);
        return {
            plan: [...planItems(steps, foreseen), ...approvalItems(toApprove, observation)],
            foreseen: [foreseen],
        };
    },
    effect: async (inputs, ports) => {
        const target = targetOf(inputs);
        const tellKilled = killedStoresTold(inputs.component, ports);
        await runOperation(
            {
                description: descriptionOf(inputs),
                look: (await lookAt(inputs, ports)).look,
                next: (observation, memory) => {
                    tellKilled(observation);
                    const problem = inputs.recoveryMode && deployedBeforeRecovery(observation, target);
                    return problem ? { kind: "fail", problem } : nextSuspendMove(observation, target, memory);
                },
                approval: operationApproval(inputs, descriptionOf(inputs), (observation) =>
                    planned(inputs, observation),
                ),
            },
            ports,
        );
    },
};

function descriptionOf({ cluster, component }: SuspendProgramInputs): string {
    return `suspend ${memberName(cluster, component)}`;
}

/** A suspension goes on without PD. Only where somebody has deleted a claim it asks whether PD has dropped what is on the volume. */
async function lookAt(
    inputs: SuspendProgramInputs,
    ports: PlanPorts,
): Promise<{ look: LookOptions; seen: Observation }> {
    const look = glance(inputs.component);
    const seen = await ports.look(look);
    if (podsWithDeletedClaims(seen, targetOf(inputs)).length === 0) {
        return { look, seen };
    }
    const closer = lookForScale(inputs.component);
    return { look: closer, seen: await ports.look(closer) };
}

/** A suspended member has no pods. */
function planned(inputs: SuspendProgramInputs, observation: Observation) {
    const target = targetOf(inputs);
    const steps = notForeseen(dueToSuspend(observation, target), observation);
    return { steps, target: { ...target, replicas: 0 } };
}
