import { approveCommand, describeGiven, isCurrentConsent } from "../vocabulary/approvals";
import type { Observation } from "../vocabulary/observation";
import type { PlanItem } from "../walks/describePlan";
import { approvalDigest } from "./approvalDigest";
import { stepsLetThrough } from "./approvalPlan";
import type { ApprovalPlan } from "./planToApprove";

/** @returns what a consent to the plan lets through, in words: `restart basic-tikv-2, the first of 3 steps`. */
export function describeLetThrough(plan: ApprovalPlan): string {
    const letThrough = stepsLetThrough(plan).map(({ kind, target }) => `${kind} ${target}`);
    const shown =
        letThrough.length <= 3
            ? letThrough.join(", ")
            : `${letThrough.slice(0, 2).join(", ")} and ${letThrough.length - 2} more`;
    return letThrough.length < plan.steps.length ? `${shown}, the first of ${plan.steps.length} steps` : shown;
}

/** @returns the entry that tells how to consent to the plan, and whether somebody has; none if nothing needs consent. */
export function approvalItems(
    plan: ApprovalPlan | undefined,
    { approvals, now }: Pick<Observation, "approvals" | "now">,
): PlanItem[] {
    if (plan === undefined || plan.steps.length === 0) {
        return [];
    }
    const digest = approvalDigest(plan);
    const command = approveCommand(plan.namespace, plan.cluster, digest);
    const consent = approvals?.given[digest];
    const isGiven = consent !== undefined && isCurrentConsent(consent, approvals?.asOf ?? now);
    const words = `approve: \`${command}\` lets through: ${describeLetThrough(plan)}`;
    return [{ is: "approval", digest, words, ...(isGiven ? { given: describeGiven(consent) } : {}) }];
}
