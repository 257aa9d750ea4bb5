import { memberName } from "../../topology/names";
import { refusedChange } from "../lifecycle/vocabulary/fixedFields";
import { refusedForVolumes } from "../lifecycle/walks/keptVolumes";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";
import { stepItems, undecidedItems } from "../lifecycle/walks/describePlan";
import { planScale } from "../lifecycle/walks/plan";
import { mayHaveTakenBackRemoval, nextScaleMove, ordinalsOf } from "../lifecycle/walks/scale";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import { createGate } from "./gate";
import type { GateProgramInputs } from "./inputs";
import { glance, lookForScale, withClaims } from "./looks";
import { runOperation } from "./loop";
import { type Gate, type GateDefinition, Unreadable } from "./gateDefinition";
import { operationApproval, planToApprove } from "./operationApproval";

function targetOf(inputs: GateProgramInputs): MemberTarget {
    const { component, desiredReplicas, policy } = inputs;
    return { component, replicas: desiredReplicas, policy };
}

/**
 * Comes before a StatefulSet: lets a new number of replicas through once the leaving stores and members have left PD, and
 * once the volumes released by an earlier scale-in are gone. The preview refuses changes that would lose data.
 */
export const scaleGateDefinition: GateDefinition<GateProgramInputs> = {
    replicasOf: (inputs) => inputs.desiredReplicas,
    // The live StatefulSet may have more replicas than the program knows (`up --refresh` after `kubectl scale`): the
    // number must not fall without an observation.
    stepsWhenUnreachable: () => [{ is: "task", words: "read the number of replicas once the API server answers" }],
    plan: async (inputs, ports) => {
        const target = targetOf(inputs);
        const { field = inputs.component, refuseReplicas } = memberLifecycles[inputs.component];
        const look = (options: LookOptions) => ports.look(withClaims(options, inputs.component, inputs.fixed));
        const first = await look(glance(inputs.component));
        const live = first.members[inputs.component]?.statefulSet;
        const change = live ? refusedChange(live.fixed, inputs.fixed) : refusedForVolumes(first, target, inputs.fixed);
        if (change) {
            return {
                plan: [],
                refused: { property: `spec.${field}.${change.field}`, reason: change.reason },
            };
        }
        const { leaving, coming } = ordinalsOf(first, target);
        const mayBeTakenBack = mayHaveTakenBackRemoval(first, target);
        if (leaving.length === 0 && coming.length === 0 && !mayBeTakenBack) {
            return { plan: [] };
        }
        const observation = leaving.length > 0 || mayBeTakenBack ? await look(lookForScale(inputs.component)) : first;
        if (observation.pdTrouble !== undefined) {
            const sure = planScale(first, target).filter((step) => step.kind === "remove");
            throw new Unreadable(observation.pdTrouble.why, undecidedItems(sure));
        }
        const reason = leaving.length > 0 ? refuseReplicas(observation, target) : undefined;
        const steps = planScale(observation, target);
        const toApprove = planToApprove(inputs, descriptionOf(inputs), { steps, target }, observation);
        return {
            plan: [...stepItems(steps), ...approvalItems(toApprove)],
            refused: reason === undefined ? undefined : { property: `spec.${field}.replicas`, reason },
        };
    },
    effect: async (inputs, ports) => {
        const target = targetOf(inputs);
        // One removal at a time, so none is half done while the run waits for consent to the next one.
        const oneByOne = { ...target, policy: { ...target.policy, scaleInParallelism: 1 } };
        await runOperation(
            {
                description: descriptionOf(inputs),
                look: withClaims(lookForScale(inputs.component), inputs.component, inputs.fixed),
                next: (observation, memory, isAllApproved) =>
                    nextScaleMove(observation, isAllApproved ? target : oneByOne, memory),
                approval: operationApproval(
                    inputs,
                    descriptionOf(inputs),
                    (observation) => ({ steps: planScale(observation, target), target }),
                    // The StatefulSet's new number of replicas takes the pods away that the plan removes.
                    true,
                ),
            },
            ports,
        );
    },
};

function descriptionOf({ cluster, component, desiredReplicas }: GateProgramInputs): string {
    return `scale ${memberName(cluster, component)} to ${desiredReplicas}`;
}

export const scaleGate: Gate = createGate(scaleGateDefinition);
