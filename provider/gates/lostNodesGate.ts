import { untilKnown } from "../lifecycle/dryRun/asking";
import { dryRun } from "../lifecycle/dryRun/dryRun";
import { planItems } from "../lifecycle/dryRun/holds";
import { notForeseen } from "../lifecycle/dryRun/planSteps";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import { type LostNodesTarget, lostPods } from "../lifecycle/lostNodes/lostPods";
import { nextLossMove } from "../lifecycle/lostNodes/nextLossMove";
import { leftBehind, lossSteps, planLoss, unreadLoss } from "../lifecycle/lostNodes/planLoss";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { type GateDefinition, Unreadable } from "./gateDefinition";
import type { LostNodesProgramInputs } from "./inputs";
import { lookForLostNodes } from "./looks";
import { runOperation } from "./loop";
import { runDry } from "./runDry";
import { noticesOf } from "../lifecycle/vocabulary/notices";
import { operationApproval, planToApprove } from "./operationApproval";

/**
 * Comes before every member, and only with `operations.lostNodes`: gives up the volumes of pods whose node is gone, so that they start
 * empty on another one. Volumes are deleted, so a person consents to it in any case, whatever `operations.approval` says.
 */
export const lostNodesGateDefinition: GateDefinition<LostNodesProgramInputs> = {
    replicasOf: () => 0,
    plan: async (inputs, ports) => {
        const target = targetOf(inputs);
        const first = await ports.look(lookForLostNodes);
        const unread = unreadLoss(first, target);
        if (unread !== undefined) {
            const task = { is: "task", words: `${descriptionOf(inputs)}, once all is known` } as const;
            throw new Unreadable("lost-volumes", unread, lostPods(first, target).length > 0 ? [task] : []);
        }
        // What is due is judged before the first store has gone: after that, PD is asked for the regions of the others only.
        const { seen: live, found } = await runDry(
            untilKnown(first, (seen) => planLoss(seen, target)),
            lookForLostNodes,
            ports,
        );
        const foreseen = await runDry(
            dryRun((seen, memory) => nextLossMove(seen, target, memory), live),
            lookForLostNodes,
            ports,
        );
        const toApprove = planToApprove(subjectOf(inputs), descriptionOf(inputs), toSteps(inputs, live), live);
        return {
            plan: [...planItems(lossSteps(foreseen, live, target), foreseen), ...approvalItems(toApprove, live)],
            ...("remarks" in found ? { warnings: found.warnings, remarks: found.remarks } : {}),
            foreseen: [foreseen],
        };
    },
    effect: async (inputs, ports) => {
        let left: readonly string[] = [];
        await runOperation(
            {
                description: descriptionOf(inputs),
                look: lookForLostNodes,
                next: (observation, memory) => {
                    left = leftBehind(observation, targetOf(inputs));
                    return nextLossMove(observation, targetOf(inputs), memory);
                },
                approval: operationApproval(subjectOf(inputs), descriptionOf(inputs), (observation) =>
                    toSteps(inputs, observation),
                ),
            },
            ports,
        );
        noticesOf("store-left-behind", ...left).forEach((one) => ports.progress.warn(one));
    },
};

function targetOf({ nodes, policy }: LostNodesProgramInputs): LostNodesTarget {
    return { nodes, policy };
}

/** Consent is needed in any case. */
function subjectOf(inputs: LostNodesProgramInputs) {
    return { ...inputs, approval: inputs.approval ?? ("member" as const), component: "tikv" as const };
}

function descriptionOf({ cluster, nodes }: LostNodesProgramInputs): string {
    return `give up what ${cluster} had on node${nodes.length === 1 ? "" : "s"} ${nodes.join(", ")}`;
}

function toSteps(inputs: LostNodesProgramInputs, observation: Observation) {
    const { steps } = planLoss(observation, targetOf(inputs));
    const target = { component: "tikv" as const, replicas: 0, policy: inputs.policy };
    return { steps: notForeseen(steps, observation), target };
}
