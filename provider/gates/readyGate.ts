import { nextReadyMove, planReady } from "../lifecycle/walks/ready";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { destroyCluster } from "./destroy";
import { createGate } from "./gate";
import { type ReadyProgramInputs, unknownValue, unknownPath } from "./inputs";
import { lookForReady, lookForState } from "./looks";
import { runOperation } from "./loop";
import { type Gate, type GateDefinition, Unreadable } from "./gateDefinition";

function targetsOf(inputs: ReadyProgramInputs): MemberTarget[] {
    return inputs.members.map(({ component, replicas, policy }) => ({
        component,
        replicas,
        policy,
    }));
}

/** The last gate of a cluster: an update ends once every pod, member and store is as the program asks. */
export const readyGateDefinition: GateDefinition<ReadyProgramInputs> = {
    isLast: true,
    // In a preview all members may be unknown, or the replicas of one.
    replicasOf: ({ members }) =>
        unknownPath(members) === undefined ? members.reduce((sum, { replicas }) => sum + replicas, 0) : unknownValue,
    plan: async (inputs, ports) => {
        const components = inputs.members.map((member) => member.component);
        const observation = await ports.look(lookForState(components));
        if (observation.pdTrouble !== undefined) {
            throw new Unreadable(observation.pdTrouble.why);
        }
        const lacks = planReady(observation, targetsOf(inputs));
        return { plan: lacks.map((words) => ({ is: "missing", words })) };
    },
    effect: async (inputs, ports) => {
        const targets = targetsOf(inputs);
        await runOperation(
            {
                description: `wait for ${inputs.cluster}`,
                look: lookForReady(inputs.members.map((member) => member.component)),
                next: (observation, memory) => nextReadyMove(observation, targets, memory),
                isLast: true,
            },
            ports,
        );
    },
};

/** Comes after everything else of its cluster, so Pulumi deletes it first: `pulumi destroy` begins here. */
export const readyGate: Gate = { ...createGate(readyGateDefinition), delete: destroyCluster };
