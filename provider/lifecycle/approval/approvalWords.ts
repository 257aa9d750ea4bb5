import {
    type Approvals,
    approveCommand,
    type Consent,
    describeGiven,
    describeOthers,
    describeVoid,
    isCurrentConsent,
} from "../vocabulary/approvals";
import type { Observation } from "../vocabulary/observation";
import { someOf } from "../vocabulary/settings";
import type { PlanItem } from "../walks/describePlan";
import { stepInWords } from "../walks/planStep";
import { approvalDigest } from "./approvalDigest";
import { stepsLetThrough } from "./approvalPlan";
import type { ApprovalPlan, ApprovalStep } from "./planToApprove";

/** @returns what a consent to the plan lets through, in words: `restart basic-tikv-2, the first of 3 steps`. */
export function describeLetThrough(plan: ApprovalPlan): string {
    const letThrough = stepsLetThrough(plan).map(stepInWords);
    const shown =
        letThrough.length <= 3
            ? letThrough.join(", ")
            : `${letThrough.slice(0, 2).join(", ")} and ${letThrough.length - 2} more`;
    return letThrough.length < plan.steps.length ? `${shown}, the first of ${plan.steps.length} steps` : shown;
}

/** A Lease has room for 256 KiB of annotations. */
const mostSteps = 50;

/** @returns each step that a consent to the plan lets through, with the risk that the plan names; of many steps the first, and how many more there are. */
export function stepsToConsentTo(plan: ApprovalPlan): string[] {
    const steps = stepsLetThrough(plan).map((step) => stepInWords(step) + (step.risk ? `; risk: ${step.risk}` : ""));
    const more = steps.length - mostSteps;
    return more > 0 ? [...steps.slice(0, mostSteps), `${more} more`] : steps;
}

/** @returns the entry that tells how to consent to the plan, and what consents there are; none if nothing needs consent. */
export function approvalItems(
    plan: ApprovalPlan | undefined,
    { approvals, now }: Pick<Observation, "approvals" | "now">,
): PlanItem[] {
    if (plan === undefined || plan.steps.length === 0) {
        return [];
    }
    const digest = approvalDigest(plan);
    const command = approveCommand(plan.namespace, plan.cluster, digest);
    const words = `approve: \`${command}\` lets through: ${describeLetThrough(plan)}`;
    const { given: all = {}, givenProblem = "", asOf = now } = approvals ?? {};
    if (plan.firstProblem !== undefined) {
        return [{ is: "approval", digest, words, given: plan.firstProblem }];
    }
    const given = [consentInWords(digest, all, asOf), givenProblem].filter(Boolean).join("; ");
    const others = digest in all ? "" : describeOthers(all, asOf);
    return [{ is: "approval", digest, words, given, others }];
}

/** @returns whether somebody has consented to the plan with this digest; empty if nobody has. */
function consentInWords(digest: string, given: Approvals["given"], now: number): string {
    const consent = given[digest] as Consent | undefined;
    return consent === undefined
        ? ""
        : isCurrentConsent(consent, now)
          ? describeGiven(consent)
          : describeVoid(digest, consent, now);
}

/** @returns how a plan differs from the one that somebody was asked for before, in words. */
export function describeChange(before: ApprovalPlan, now: ApprovalPlan): string {
    const [was, is] = [before, now].map((plan) => plan.steps.map(stepInWords));
    const only = (word: string, some: string[], others: string[]) => {
        const these = some.filter((one) => !others.includes(one));
        return these.length === 0 ? "" : `${word} ${someOf(these)}`;
    };
    const isSame = before.editedTo === now.editedTo && before.templateRevision === now.templateRevision;
    const edited = isSame ? "" : "somebody has edited the pod template";
    const others = now.steps.flatMap((step) => otherwise(before, step));
    const parts = [edited, only("now with", is, was), only("without", was, is), someOf(others)];
    return parts.filter(Boolean).join("; ") || "another order";
}

/** How a step of the same name differs from what it was. */
function otherwise(before: ApprovalPlan, { kind, target, uid, risk }: ApprovalStep): string[] {
    const was = before.steps.find((one) => one.kind === kind && one.target === target);
    if (was === undefined || (was.uid === uid && was.risk === risk)) {
        return [];
    }
    return [was.uid === uid ? `another risk of ${target}` : `another ${target} than before`];
}
