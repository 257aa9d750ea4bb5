import { dryRun } from "../lifecycle/dryRun/dryRun";
import { endItems } from "../lifecycle/dryRun/holds";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import type { LostNodesTarget } from "../lifecycle/lostNodes/lostPods";
import { nextLossMove } from "../lifecycle/lostNodes/nextLossMove";
import { leftBehind, type LossPlan, planLoss } from "../lifecycle/lostNodes/planLoss";
import { describeAction } from "../lifecycle/vocabulary/actions";
import { stepItems } from "../lifecycle/walks/describePlan";
import { type GateDefinition, Unreadable } from "./gateDefinition";
import type { LostNodesProgramInputs } from "./inputs";
import { lookForLostNodes } from "./looks";
import { runOperation } from "./loop";
import { runDry } from "./runDry";
import { operationApproval, planToApprove } from "./operationApproval";
import { planLostNodes } from "./planLostNodes";
import { noticesOf } from "../lifecycle/vocabulary/notices";

/**
 * Comes before every member, and only with `operations.lostNodes`: gives up the volumes of pods whose node is gone, so that they start
 * empty on another one. Volumes are deleted, so a person consents to it in any case, whatever `operations.approval` says.
 */
export const lostNodesGateDefinition: GateDefinition<LostNodesProgramInputs> = {
    replicasOf: () => 0,
    plan: async (inputs, ports) => {
        const { observation, plan } = await planLostNodes(
            (look) => ports.look(look),
            lookForLostNodes,
            targetOf(inputs),
        );
        if ("unknown" in plan) {
            const task = { is: "task", words: `${descriptionOf(inputs)}, once all is known` } as const;
            throw new Unreadable("lost-volumes", plan.unknown, plan.pods.length > 0 ? [task] : []);
        }
        const { steps, forgets, warnings, remarks } = plan;
        const tasks = forgets.map((pod) => {
            const words = describeAction({ do: "forget-lost-volumes", pod });
            return { is: "task", words } as const;
        });
        const toApprove = planToApprove(subjectOf(inputs), descriptionOf(inputs), toSteps(inputs, plan), observation);
        if (steps.length + tasks.length === 0) {
            return { plan: [], warnings, remarks };
        }
        const foreseen = await runDry(
            dryRun((seen, memory) => nextLossMove(seen, targetOf(inputs), memory), observation),
            lookForLostNodes,
            (options, lag) => ports.look(options, lag),
        );
        return {
            plan: [...stepItems(steps), ...tasks, ...endItems(foreseen), ...approvalItems(toApprove, observation)],
            warnings,
            remarks,
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
                    toSteps(inputs, planLoss(observation, targetOf(inputs))),
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

function toSteps({ policy }: LostNodesProgramInputs, plan: LossPlan) {
    return { steps: plan.steps, target: { component: "tikv" as const, replicas: 0, policy } };
}
