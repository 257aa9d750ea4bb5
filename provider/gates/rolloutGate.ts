import { type ConfigDigests, configNotes } from "../lifecycle/configChange";
import { describeStep, describeUndecided, planRollout, templateState } from "../lifecycle/plan";
import { nextRolloutMove } from "../lifecycle/rollout";
import type { MemberTarget } from "../lifecycle/target";
import { createGate, type Gate, type GateDefinition, Unreadable } from "./gate";
import type { GateProgramInputs } from "./inputs";
import { glance, lookForRollout } from "./looks";
import { runOperation } from "./loop";

function targetOf(inputs: GateProgramInputs): MemberTarget {
    const { component, desiredReplicas, templateRevision, version, policy } = inputs;
    return { component, replicas: desiredReplicas, templateRevision, version, policy };
}

/**
 * Stands behind a StatefulSet: restarts, one at a time, the pods that run an older revision, each between the member's
 * conditions, and waits for what the members after it need. On a first deployment it waits for no more than that.
 */
export const rolloutGateDefinition: GateDefinition<GateProgramInputs> = {
    replicasOf: (inputs) => inputs.desiredReplicas,
    notes: (olds, { component, config, templateRevision }) =>
        // A gate that was made by a version before this one knows no configuration to compare with.
        olds.config === undefined || config === undefined
            ? []
            : configNotes(component, olds.config as ConfigDigests, config, olds.templateRevision !== templateRevision),
    plan: async (inputs, ports) => {
        const target = targetOf(inputs);
        const first = await ports.look(glance(inputs.component));
        if (templateState(first, target) !== "other" && planRollout(first, target).length === 0) {
            return { plan: [] };
        }
        const running = (first.members[inputs.component]?.pods.length ?? 0) > 0;
        const observation = running ? await ports.look(lookForRollout(inputs.component)) : first;
        if (observation.pdTrouble !== undefined) {
            const sure = planRollout(first, target).filter((step) => step.kind === "restart" || step.kind === "wait");
            throw new Unreadable(observation.pdTrouble, sure.map(describeUndecided));
        }
        return { plan: planRollout(observation, target).map(describeStep) };
    },
    effect: async (inputs, ports, first) => {
        const target = targetOf(inputs);
        await runOperation(
            {
                description: `roll out ${inputs.cluster}-${inputs.component}`,
                look: lookForRollout(inputs.component),
                next: (observation, memory) =>
                    nextRolloutMove(observation, target, memory, first ? "available" : "all-well"),
            },
            ports,
        );
    },
};

export const rolloutGate: Gate = createGate(rolloutGateDefinition);
