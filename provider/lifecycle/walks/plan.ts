import { imageTag } from "../../../topology/imageVersion";
import type { Component } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { afterScaleIn } from "./foreseenPods";
import { isLeftAlone } from "./leftAlone";
import { isMoving, nodeOf } from "../drain/moveStages";
import { claimsOf } from "../stages/claims";
import type { ForeseenStep } from "../stages/foreseen";
import { memberLifecycles } from "../members/memberLifecycles";
import type { LeftOpen } from "../vocabulary/memberLifecycle";
import type { Observation } from "../vocabulary/observation";
import { someOf } from "../vocabulary/settings";
import { endingLeftOpen, leftOpenIn } from "./leftOpen";
import { batchInWords, batchRisk, inOrderOfBatches, planBatches, type PlannedBatches } from "./planBatches";
import { walkOrder } from "./rollout";
import { ordinalsOf, takenBack, type TakenBack } from "./scale";
import { type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { restartsIn, templateState, type TemplateState } from "./wantedTemplate";
import { withoutNode } from "./withoutNode";

/** A step of a plan, as data. `describePlan` gives the text for `pulumi preview`. */
export interface PlanStep {
    kind:
        | "restart"
        | "move"
        | "start"
        | "settle"
        | "wait"
        | "remove"
        | "empty-volume"
        | "take-back"
        | "clean-up"
        | "suspend"
        | "set"
        | "replace"
        | "recover"
        | "give-up";
    /** The member that it concerns. */
    component: Component;
    /** The pod, or the StatefulSet, or stores. */
    target: string;
    why: string;
    does: string[];
    waitsFor: string;
    /** A rule of thumb. 0 for a pod of a batch whose first pod has the time of all. */
    estimateSeconds: number;
    /** Whether nobody knows how long it takes, because something outside the update must come right. Default: no. */
    isOpenEnded?: true;
    /** How long it takes by the records of the cluster; as above, of a batch the first pod has it. Default: that is not known. */
    expectedSeconds?: number;
    /** The pod with which it goes on side by side, and whose time is that of both. Default: none. */
    beside?: string;
    risk?: string;
    /** If it goes on side by side with others: the risk that it would have alone, which is never more. */
    alone?: { readonly risk?: string };
}

/**
 * Returns the steps of a rollout as they would be taken now. If the StatefulSet does not have the wanted template yet (in
 * a preview), all its pods count as stale.
 */
export function planRollout(observation: Observation, target: MemberTarget): PlanStep[] {
    const state = templateState(observation, target);
    const replaced = state === "other";
    const restarts = restartsIn(observation, target);
    const mustRestart = (view: PodView) => view.pod !== undefined && (restarts(view) || isMoving(view));
    const scaled = afterScaleIn(observation, target);
    const views = walkOrder(scaled, target, mustRestart).filter((view) => !isLeftAlone(view, mustRestart));
    const batches = planBatches(observation, target, restarts);
    const steps = inTurn(scaled, inOrderOfBatches(views, batches), "restarted", (view) => {
        if (restarts(view)) {
            return inBatch(restartStep(view, state), batches);
        }
        if (isMoving(view)) {
            return moveStep(view, state);
        }
        if (!view.pod) {
            return startStep(view);
        }
        const { pod } = view;
        const why = pod.trouble ?? pod.sidecarTrouble ?? "not Ready";
        return pod.ready ? undefined : { ...startStep(view), why, ...withoutNode(view) };
    });
    const statefulSet = observation.members[target.component]?.statefulSet;
    const takesDown = steps.some(({ kind }) => kind === "restart" || kind === "move");
    // Whoever runs the wanted template already is seen to run it once the StatefulSet has it again.
    const isTakenBack = replaced && views.some((view) => view.pod !== undefined && !restarts(view));
    if (statefulSet && (!statefulSet.settled || isTakenBack) && !takesDown) {
        steps.push(waitStep(target.component, statefulSet.name));
    }
    const others = new Set(steps.map((step) => step.target));
    const open = leftOpenIn(observation, target.component);
    const left = open.filter(({ pod }) => !others.has(pod));
    const cleanUps = (isAtEnd: boolean) =>
        left.filter(({ atEnd = !takesDown }) => atEnd === isAtEnd).map((one) => cleanUpStep(target.component, one));
    const ending = steps.map((step) => endingLeftOpen(step, open));
    const inOrder = [...cleanUps(false), ...ending, ...cleanUps(true)];
    return takesDown ? [...settleSteps(observation, target), ...inOrder] : inOrder;
}

/** The first pod of a batch has the time of all: they go on side by side. */
function inBatch(step: PlanStep, batches: PlannedBatches): PlanStep {
    const words = batchInWords(batches, step.target);
    const [first] = batches.byPod.get(step.target)?.pods ?? [];
    if (words === undefined) {
        return step;
    }
    const risk = risksOf(batchRisk(batches, step.target), step.risk);
    const planned = { ...step, does: [words, ...step.does], risk, alone: { risk: step.risk } };
    return first === step.target ? planned : { ...planned, estimateSeconds: 0, beside: first };
}

/** Plans one pod after the other, each as the cluster will be after the steps before it. */
function inTurn(
    observation: Observation,
    views: readonly PodView[],
    result: ForeseenStep,
    stepOf: (view: PodView) => PlanStep | undefined,
): PlanStep[] {
    const steps: PlanStep[] = [];
    let foreseen = observation;
    for (const planned of views) {
        const { target, ordinal } = planned;
        const view = foreseen === observation ? planned : viewOf(foreseen, target, ordinal);
        const step = stepOf(view);
        if (step) {
            steps.push(step);
            foreseen = memberLifecycles[target.component].foresees?.(view, result) ?? foreseen;
        }
    }
    return steps;
}

/** The wait before the first restart, once for all of them. */
function settleSteps(observation: Observation, target: MemberTarget): PlanStep[] {
    const after = memberLifecycles[target.component].restartsAfter?.(observation, target.pdRestarts ?? false);
    return after === undefined
        ? []
        : [
              {
                  kind: "settle",
                  component: target.component,
                  target: memberName(observation.cluster, target.component),
                  why: after.why,
                  does: [],
                  waitsFor: "PD's counts can be trusted",
                  estimateSeconds: Math.ceil(after.seconds),
              },
          ];
}

function restartStep(view: PodView, state: TemplateState): PlanStep {
    const lifecycle = memberLifecycles[view.target.component];
    return {
        kind: "restart",
        component: view.target.component,
        target: view.podName,
        why: reasonOfRestart(view, state === "other"),
        does: [...lifecycle.restartDoes(view), "delete pod"],
        waitsFor: `Ready, ${lifecycle.restartWaitsFor}`,
        estimateSeconds: Math.ceil(lifecycle.estimateRestartSeconds(view)),
        risk: risksOf(lifecycle.restartRisk(view), state === "wanted" ? otherImageRisk(view) : undefined),
    };
}

/** Pulumi does not see what somebody else writes into a StatefulSet, so the pods would start what the program does not ask for. */
function otherImageRisk({ target: { tag }, member }: PodView): string | undefined {
    const image = member.statefulSet?.image;
    const live = image === undefined ? undefined : imageTag(image);
    return tag === undefined || live === undefined || live === tag
        ? undefined
        : `it starts ${live}, which somebody else has written into StatefulSet ${member.statefulSet?.name}, and not ${tag} as in the program`;
}

function risksOf(...risks: (string | undefined)[]): string | undefined {
    return risks.filter((one) => one !== undefined).join("; ") || undefined;
}

/** The pod starts again with the same template, on another node. */
function moveStep(view: PodView, state: TemplateState): PlanStep {
    const { does, ...step } = restartStep(view, state);
    return { ...step, kind: "move", why: nodeOf(view), does: [...does, "which starts on another node"] };
}

/** A new version is a reason by itself. A new configuration may come with a template that changes for another reason. */
function reasonOfRestart({ pod, target, member }: PodView, replaced: boolean): string {
    const { tag, hasNewConfig, isOnlineNew } = target;
    const from = pod?.image === undefined ? undefined : imageTag(pod.image);
    if (tag !== undefined && from !== undefined && from !== tag) {
        return `${from} to ${tag}`;
    }
    const online = isOnlineNew ? "; switching operations.rollout.online on restarts pods once" : "";
    if (hasNewConfig) {
        return `new template and configuration${online}`;
    }
    if (replaced) {
        return `new template${online}`;
    }
    const { revision } = pod ?? {};
    const changes = (member.revisions?.known && revision && member.revisions.value.changes[revision]) || [];
    const newest = changes.length === 0 ? "" : `; the newest one differs in ${someOf(changes)}`;
    return `old revision ${revision?.split("-").at(-1) ?? "(none)"}${newest}${online}`;
}

function startStep(view: PodView): PlanStep {
    return {
        kind: "start",
        component: view.target.component,
        target: view.podName,
        why: "does not exist yet",
        does: [],
        waitsFor: `Ready, ${memberLifecycles[view.target.component].startWaitsFor}`,
        estimateSeconds: 30,
    };
}

/** Until the controller has seen the newest template, stale pods cannot be told from current ones. */
function waitStep(component: Component, statefulSet: string): PlanStep {
    return {
        kind: "wait",
        component,
        target: statefulSet,
        why: "the StatefulSet controller has not seen the newest template",
        does: [],
        waitsFor: "every pod runs it",
        estimateSeconds: 5,
    };
}

function cleanUpStep(component: Component, { pod, why, does, waitsFor }: LeftOpen): PlanStep {
    return { kind: "clean-up", component, target: pod, why, does: [does], waitsFor, estimateSeconds: 1 };
}

/** Returns the steps before the StatefulSet gets its new number of replicas. */
export function planScale(observation: Observation, target: MemberTarget): PlanStep[] {
    const lifecycle = memberLifecycles[target.component];
    const { leaving, coming } = ordinalsOf(observation, target);
    const view = (ordinal: number) => viewOf(observation, target, ordinal);
    return [
        ...takenBack(observation, target).map(takeBackStep),
        ...inTurn(observation, leaving.map(view), "removed", (one) => ({
            kind: "remove",
            component: target.component,
            target: one.podName,
            why: `${one.member.statefulSet?.replicas} to ${target.replicas} replicas`,
            does: [lifecycle.removalDoes(one)],
            waitsFor: claimsOf(one).length > 0 ? "its volumes are marked as released" : "its pod is gone",
            estimateSeconds: Math.ceil(lifecycle.estimateRemovalSeconds(one)),
            risk: takesLast(one) ? lifecycle.noneLeft : undefined,
        })),
        ...coming
            .map(view)
            .filter((one) => one.member.claims.some((claim) => claim.ordinal === one.ordinal && claim.released))
            .map((one): PlanStep => ({
                kind: "empty-volume",
                component: target.component,
                target: one.podName,
                why: "an earlier scale-in released its volumes",
                does: ["delete the old claims so it starts empty"],
                waitsFor: "the claims are gone",
                estimateSeconds: 5,
            })),
    ];
}

/** Whether no pod of the member is left after the removal. The lowest ordinal leaves last. */
function takesLast({ target, ordinal, member }: PodView): boolean {
    return target.replicas === 0 && ordinal === 0 && member.pods.length > 0;
}

function takeBackStep({ view, move }: TakenBack): PlanStep {
    const { podName: target, store } = view;
    const { component } = view.target;
    const takeBack = { kind: "take-back", component, target, why: "a scale-in was reverted" } as const;
    if (move.kind === "act" && move.action.do === "forget-removal") {
        return {
            ...takeBack,
            does: ["delete the record of its removal"],
            waitsFor: "the record is gone",
            estimateSeconds: 1,
        };
    }
    if (move.kind === "act" && move.action.do === "keep-claims") {
        return {
            ...takeBack,
            does: ["mark its volumes as kept"],
            waitsFor: "none of them is marked as released",
            estimateSeconds: 1,
        };
    }
    if (store) {
        return {
            ...takeBack,
            does: [`set store ${store.id} Up again`],
            waitsFor: "PD reports it Up",
            estimateSeconds: 5,
        };
    }
    return move.kind === "act"
        ? {
              kind: "empty-volume",
              component,
              target,
              why: "a scale-in was reverted too late",
              does: ["delete its claims and its pod so it starts empty"],
              waitsFor: "both are gone",
              estimateSeconds: 30,
          }
        : { ...takeBack, does: [], waitsFor: "PD reports its state", estimateSeconds: 5 };
}
