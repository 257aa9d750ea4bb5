import type { Component } from "../../../topology/members";
import { podOrdinal } from "../../../topology/podNames";
import { goalOf } from "./approvalDigest";
import { isBegun as isBegunInPd, viewOfLost } from "../lostNodes/removalFromPd";
import { memberLifecycles } from "../members/memberLifecycles";
import type { ApprovalPlan, ApprovalStep } from "./planToApprove";
import { remakeLeft } from "../volumes/remake";
import { isReplacementBegun } from "../volumes/replacement";
import { claimsReleased } from "../stages/claims";
import { removalOf } from "../stages/removalRecord";
import type { Action } from "../vocabulary/actions";
import type { Observation } from "../vocabulary/observation";
import { storesInWords } from "../vocabulary/storesInWords";
import { shortDigest } from "../vocabulary/shortDigest";
import { claimsOf, type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import type { PlanStep } from "../walks/planStep";

/** What a gate knows of the cluster before it looks. */
export type ApprovalSubject = Pick<ApprovalPlan, "mode" | "namespace" | "cluster" | "leaseUid" | "of">;

/** Whether a step changes something that a person may want to hold back. The others wait, or undo what an earlier run left. */
const isAsked: Record<PlanStep["kind"], boolean> = {
    restart: true,
    move: true,
    remove: true,
    "empty-volume": true,
    grow: true,
    modify: true,
    renew: true,
    spare: true,
    recreate: true,
    suspend: true,
    set: true,
    replace: true,
    recover: true,
    "give-up": true,
    label: false,
    start: false,
    wait: false,
    "take-back": false,
    "clean-up": false,
};

/**
 * @param target what the steps lead to. `templateRevision` must be the one that the StatefulSet has, or gets in the update.
 * @returns the plan to consent to.
 */
export function approvalPlan(
    subject: ApprovalSubject,
    steps: readonly PlanStep[],
    observation: Observation,
    target: MemberTarget,
): ApprovalPlan {
    const { templateRevision, version, replicas } = target;
    const { statefulSet, pods = [] } = observation.members[target.component] ?? {};
    const goal = { ...subject, templateRevision, updateRevision: statefulSet?.updateRevision, version, replicas };
    const editedTo = editSince(observation, target);
    const firstProblem =
        templateRevision === undefined ? undefined : observation.approvals?.firstProblems?.[target.component];
    const isGoal = observation.approvals?.goals[subject.of] === goalOf(goal);
    const asked = steps.filter((step) => isAsked[step.kind]);
    const begun = asked.filter((step) => isBegun(step, observation, target, isGoal));
    return {
        ...goal,
        editedTo,
        ...(firstProblem === undefined ? {} : { firstProblem }),
        begun: begun.map((step) => step.target),
        steps: asked
            .filter((step) => !begun.includes(step))
            .map(({ kind, target: of, risk, alone }) => ({
                kind,
                target: of,
                risk,
                ...(alone === undefined ? {} : { alone }),
                ...(kind === "suspend" ? { uid: statefulSet?.uid } : {}),
                ...(kind === "remove" && leavesByNumber(target.component) ? { together: true as const } : {}),
                // A later pod of the same name has another store.
                ...(kind === "remove" || kind === "renew" ? { uid: pods.find(({ name }) => name === of)?.uid } : {}),
            })),
    };
}

/** The revision of the template, if it is not the one for which a run first asked for consent: somebody has edited the template. */
function editSince(
    { approvals, members }: Observation,
    { component, templateRevision }: MemberTarget,
): string | undefined {
    const first = approvals?.firstRevisions?.[component];
    const { settled, templateRevision: live, updateRevision } = members[component]?.statefulSet ?? {};
    const isSame = first !== undefined && first.template === templateRevision && live === templateRevision;
    return isSame && settled && updateRevision !== first.revision ? updateRevision : undefined;
}

/**
 * Whether the step is half done. A removal leads to the same end whatever else the program changed. A restart that was begun
 * for another template was not consented to.
 */
function isBegun(step: PlanStep, observation: Observation, target: MemberTarget, isGoal: boolean): boolean {
    if (step.kind === "set") {
        return isGoal && observation.records.settings?.[target.component] !== undefined;
    }
    if (step.kind === "recreate") {
        return remakeLeft(observation, target.component) !== undefined;
    }
    if (step.kind === "recover") {
        return isGoal && isRecoveryBegun(observation, step);
    }
    if (step.kind === "give-up") {
        const record = observation.records.lostVolumes?.[step.target];
        return record !== undefined && isBegunInPd({ view: viewOfLost(observation, step.target, record), record });
    }
    const pods = Array.from({ length: ordinalsSeen(observation, target) }, (_, at) => viewOf(observation, target, at));
    const view = pods.find(({ podName }) => podName === step.target);
    if (view === undefined) {
        return false;
    }
    const own = claimsOf(view);
    const isEmptying = own.some(({ terminating }) => terminating);
    const isHalfDone: Partial<Record<PlanStep["kind"], boolean>> = {
        restart: isGoal && memberLifecycles[target.component].isBegun?.(view),
        move: isGoal && memberLifecycles[target.component].isBegun?.(view),
        remove: removalOf(view) !== undefined,
        renew: isReplacementBegun(view),
        "empty-volume": isGoal && isEmptying,
        replace: isFailureBegun(view),
    };
    return isHalfDone[step.kind] ?? false;
}

/**
 * A recovery is half done only if PD took it: it buries the stores at once, so a store that is not Tombstone says that PD never did, or
 * that another one has its place. What is lost must be what was consented to. One that PD has given up is not half done.
 */
function isRecoveryBegun({ records, pd: { unsafeRecovery, tombstones } }: Observation, step: PlanStep): boolean {
    const { begun } = records.unsafeRecovery ?? {};
    return (
        begun?.risk !== undefined &&
        storesInWords(begun.stores) === step.target &&
        begun.risk === shortDigest(step.risk ?? "") &&
        tombstones.known &&
        begun.stores.every((id) => tombstones.value.some((store) => store.id === id)) &&
        unsafeRecovery.known &&
        unsafeRecovery.value.stage !== "failed"
    );
}

/** A failure that was only noted is not begun: nothing has been removed yet. Nor is that of another PD member of its pod. */
function isFailureBegun(view: PodView): boolean {
    const { component } = view.target;
    const failure = view.observation.records.failovers?.[component]?.failures[view.podName];
    const { failover } = memberLifecycles[component];
    return (
        failure !== undefined &&
        failover?.isUndone?.(view, failure) !== true &&
        failover?.hasComeBack?.(view, failure) !== true
    );
}

function ordinalsSeen({ members }: Observation, { component, replicas }: MemberTarget): number {
    return Math.max(replicas, members[component]?.statefulSet?.replicas ?? 0);
}

/** @returns the plan with this action's step first; unchanged if it is. What is not in the plan was never consented to. */
export function withFirst(plan: ApprovalPlan, action: Action, target: string): ApprovalPlan {
    const own = plan.steps.find((step) => step.target === target) ?? { kind: action.do, target };
    return plan.steps[0] === own ? plan : { ...plan, steps: [own, ...plan.steps.filter((step) => step !== own)] };
}

/** @returns the steps that a consent to the plan lets through. */
export function stepsLetThrough({ mode, steps }: ApprovalPlan): readonly ApprovalStep[] {
    const alone = steps.findIndex(({ together }) => together !== true);
    const atOnce = alone === -1 ? steps.length : Math.max(alone, 1);
    return mode === "step" ? steps.slice(0, atOnce) : steps;
}

/** Whether nothing but the mark on its volumes is done for a pod before the StatefulSet's number of replicas takes it away. */
function leavesByNumber(component: Component): boolean {
    return memberLifecycles[component].beforeRemoval.every((stage) => stage === claimsReleased);
}

/**
 * @returns what must not have changed since the consent, for the consent to cover the target: the pod, and what a new pod
 * would be. A pod that was restarted is another one.
 */
export function identityOf({ members, cluster }: Observation, component: Component, target: string): string {
    // A gate of several members has pods of each.
    const ofTarget = Object.values(members).find((one) => podOrdinal(target, cluster, one.component) !== undefined);
    const member = ofTarget ?? members[component];
    const pod = member?.pods.find(({ name }) => name === target);
    const { uid, updateRevision, templateRevision } = member?.statefulSet ?? {};
    return JSON.stringify([pod?.uid, uid, updateRevision, templateRevision]);
}
