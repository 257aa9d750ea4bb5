import { approvalPlan } from "../lifecycle/approval/approvalPlan";
import type { ApprovalPlan } from "../lifecycle/approval/planToApprove";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import type { PlanStep } from "../lifecycle/walks/planStep";
import type { GateProgramInputs } from "./inputs";

/** How an operation waits for a person's consent. */
export interface OperationApproval {
    /** @returns the plan to consent to, as it is now. */
    planOf(observation: Observation): ApprovalPlan;
    readonly target: Pick<MemberTarget, "component">;
    /** Whether what follows the operation carries out its steps too: then it must not end without consent. Default: false. */
    readonly coversEnd?: boolean;
}

type ApprovalInputs = Pick<GateProgramInputs, "approval" | "namespace" | "cluster" | "leaseUid" | "component">;

/** A gate's plan, and what its steps lead to. */
interface Planned {
    readonly steps: readonly PlanStep[];
    readonly target: MemberTarget;
}

/** @returns the plan to consent to; undefined without `operations.approval`. */
export function planToApprove(
    { approval, namespace, cluster, leaseUid }: ApprovalInputs,
    of: string,
    { steps, target }: Planned,
    observation: Observation,
): ApprovalPlan | undefined {
    return approval && approvalPlan({ mode: approval, namespace, cluster, leaseUid, of }, steps, observation, target);
}

/** @returns how the operation waits for consent; undefined if nothing needs it. */
export function operationApproval(
    inputs: ApprovalInputs,
    of: string,
    plan: (observation: Observation) => Planned,
    coversEnd = false,
): OperationApproval | undefined {
    const { approval, namespace, cluster, leaseUid, component } = inputs;
    if (approval === undefined) {
        return undefined;
    }
    const subject = { mode: approval, namespace, cluster, leaseUid, of };
    return {
        planOf: (observation) => {
            const { steps, target } = plan(observation);
            return approvalPlan(subject, steps, observation, target);
        },
        target: { component },
        coversEnd,
    };
}
