import { memberName } from "../../topology/names";
import { stepItems } from "../lifecycle/walks/describePlan";
import { nextSuspendMove, planSuspend, type SuspendTarget } from "../lifecycle/walks/suspend";
import { createGate } from "./gate";
import type { SuspendProgramInputs } from "./inputs";
import { glance } from "./looks";
import { runOperation } from "./loop";
import type { Gate, GateDefinition } from "./gateDefinition";

function targetOf({ component, policy }: SuspendProgramInputs): SuspendTarget {
    return { component, policy };
}

/** Replaces a suspended member's StatefulSet: takes down all its pods at once and waits until they have ended. */
export const suspendGateDefinition: GateDefinition<SuspendProgramInputs> = {
    replicasOf: () => 0,
    plan: async (inputs, ports) => {
        const observation = await ports.look(glance(inputs.component));
        return { plan: stepItems(planSuspend(observation, targetOf(inputs))) };
    },
    effect: async (inputs, ports) => {
        const target = targetOf(inputs);
        await runOperation(
            {
                description: `suspend ${memberName(inputs.cluster, inputs.component)}`,
                look: glance(inputs.component),
                next: (observation, memory) => nextSuspendMove(observation, target, memory),
            },
            ports,
        );
    },
};

export const suspendGate: Gate = createGate(suspendGateDefinition);
