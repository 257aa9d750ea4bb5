import type { Component } from "../../../topology/members";
import { memberLifecycles } from "../members/memberLifecycles";
import { removalOf } from "../stages/removalRecord";
import { type ApprovalMode, approveCommand } from "../vocabulary/approvals";
import type { Action } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { shortDigest, shortDigestLength } from "../vocabulary/shortDigest";
import { viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import type { PlanItem } from "../walks/describePlan";
import type { PlanStep } from "../walks/plan";

/** What a person consents to: a gate's plan without what changes by itself, such as numbers of leaders and estimated times. */
export interface ApprovalPlan {
    readonly mode: ApprovalMode;
    readonly namespace: string;
    readonly cluster: string;
    readonly leaseUid: string;
    /** The operation: `roll out basic-tikv`. */
    readonly of: string;
    /** What the steps lead to. */
    readonly templateRevision?: string;
    readonly version?: string;
    readonly replicas: number;
    /** In the order in which they are taken. Empty if nothing needs consent. */
    readonly steps: readonly ApprovalStep[];
    /** Targets of steps that were consented to and begun: a run may always finish them. */
    readonly begun: readonly string[];
}

/** One step that needs consent. */
export interface ApprovalStep {
    readonly kind: PlanStep["kind"] | Action["do"];
    /** The pod, or the StatefulSet. */
    readonly target: string;
    /** Whether the plan names a risk: one that appeared later was not consented to. */
    readonly atRisk: boolean;
}

/** What a gate knows of the cluster before it looks. */
export type ApprovalSubject = Pick<ApprovalPlan, "mode" | "namespace" | "cluster" | "leaseUid" | "of">;

/** Whether a step changes something that a person may want to hold back. The others wait, or undo what an earlier run left. */
const isAsked: Record<PlanStep["kind"], boolean> = {
    restart: true,
    remove: true,
    "empty-volume": true,
    suspend: true,
    start: false,
    settle: false,
    wait: false,
    "take-back": false,
    "clean-up": false,
};

const digestPattern = new RegExp(`^[0-9a-f]{${shortDigestLength}}$`);

/**
 * @param target what the steps lead to. `templateRevision` must be the one that the StatefulSet has, or gets in the update.
 * @returns the plan to consent to; undefined before the end of the cluster's first deployment, which needs no consent.
 */
export function approvalPlan(
    subject: ApprovalSubject,
    steps: readonly PlanStep[],
    observation: Observation,
    target: MemberTarget,
): ApprovalPlan | undefined {
    if (observation.pdClusterId === undefined) {
        return undefined;
    }
    const { templateRevision, version, replicas } = target;
    const goal = { ...subject, templateRevision, version, replicas };
    const isGoal = observation.approvals?.goals[subject.of] === goalOf(goal);
    const asked = steps.filter((step) => isAsked[step.kind]);
    const begun = asked.filter((step) => isBegun(step, observation, target, isGoal));
    return {
        ...goal,
        begun: begun.map((step) => step.target),
        steps: asked
            .filter((step) => !begun.includes(step))
            .map((step) => ({ kind: step.kind, target: step.target, atRisk: step.risk !== undefined })),
    };
}

/**
 * Whether the step is half done. A removal leads to the same end whatever else the program changed. A restart that was begun
 * for another template was not consented to.
 */
function isBegun(step: PlanStep, observation: Observation, target: MemberTarget, isGoal: boolean): boolean {
    const pods = Array.from({ length: ordinalsSeen(observation, target) }, (_, at) => viewOf(observation, target, at));
    const view = pods.find(({ podName }) => podName === step.target);
    if (view === undefined) {
        return false;
    }
    switch (step.kind) {
        case "restart":
            return isGoal && (memberLifecycles[target.component].isBegun?.(view) ?? false);
        case "remove":
            return removalOf(view) !== undefined;
        case "empty-volume":
            return (
                isGoal && view.member.claims.some(({ ordinal, terminating }) => terminating && ordinal === view.ordinal)
            );
        default:
            return false;
    }
}

function ordinalsSeen({ members }: Observation, { component, replicas }: MemberTarget): number {
    return Math.max(replicas, members[component]?.statefulSet?.replicas ?? 0);
}

/** @returns the digest of the plan. It is the same in the preview and in the run, as long as the plan is. */
export function approvalDigest({ steps, mode, namespace, cluster, leaseUid, ...plan }: ApprovalPlan): string {
    const { of, templateRevision, version, replicas } = plan;
    const listed = steps.map(({ kind, target, atRisk }) => [kind, target, atRisk]);
    return digestOf([mode, namespace, cluster, leaseUid, of, templateRevision, version, replicas, listed]);
}

/** @returns the digest of what the steps lead to, whichever of them are left. */
export function goalOf({
    leaseUid,
    of,
    templateRevision,
    version,
    replicas,
}: Omit<ApprovalPlan, "steps" | "begun">): string {
    return digestOf([leaseUid, of, templateRevision, version, replicas]);
}

/** In JSON, so that no two lists of values have the same text. */
function digestOf(values: readonly unknown[]): string {
    return shortDigest(JSON.stringify(values));
}

/** @returns whether the text can be a digest. */
export function isDigest(text: string): boolean {
    return digestPattern.test(text);
}

/** What a digest looks like, for messages. */
export const digestShape = `${shortDigestLength} hexadecimal digits in lower case, as the preview shows them`;

/** @returns the plan with this action's step first; unchanged if it is. What is not in the plan was never consented to. */
export function withFirst(plan: ApprovalPlan, action: Action, target: string): ApprovalPlan {
    const own = plan.steps.find((step) => step.target === target) ?? { kind: action.do, target, atRisk: false };
    return plan.steps[0] === own ? plan : { ...plan, steps: [own, ...plan.steps.filter((step) => step !== own)] };
}

/** @returns the steps that a consent to the plan lets through. */
export function stepsLetThrough({ mode, steps }: ApprovalPlan): readonly ApprovalStep[] {
    return mode === "step" ? steps.slice(0, 1) : steps;
}

/** @returns what a consent to the plan lets through, in words: `restart basic-tikv-2, the first of 3 steps`. */
export function describeLetThrough(plan: ApprovalPlan): string {
    const let_ = stepsLetThrough(plan).map(({ kind, target }) => `${kind} ${target}`);
    const shown = let_.length <= 3 ? let_.join(", ") : `${let_.slice(0, 2).join(", ")} and ${let_.length - 2} more`;
    return let_.length < plan.steps.length ? `${shown}, the first of ${plan.steps.length} steps` : shown;
}

/** @returns the entry that tells how to consent to the plan; none if nothing needs consent. */
export function approvalItems(plan: ApprovalPlan | undefined): PlanItem[] {
    if (plan === undefined || plan.steps.length === 0) {
        return [];
    }
    const digest = approvalDigest(plan);
    const command = approveCommand(plan.namespace, plan.cluster, digest);
    return [{ is: "approval", digest, words: `approve: \`${command}\` lets through: ${describeLetThrough(plan)}` }];
}

/**
 * @returns what must not have changed since the consent, for the consent to cover the target: the pod, and what a new pod
 * would be. A pod that was restarted is another one.
 */
export function identityOf(observation: Observation, component: Component, target: string): string {
    const member = observation.members[component];
    const pod = member?.pods.find(({ name }) => name === target);
    const { uid, updateRevision, templateRevision } = member?.statefulSet ?? {};
    return JSON.stringify([pod?.uid, uid, updateRevision, templateRevision]);
}
