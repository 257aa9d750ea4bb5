import type { Component } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { afterScaleIn } from "./foreseenPods";
import { isLeftAlone } from "./leftAlone";
import { isMoving, nodeOf } from "../drain/moveStages";
import { memberLifecycles } from "../members/memberLifecycles";
import type { LeftOpen } from "../vocabulary/memberLifecycle";
import type { Observation } from "../vocabulary/observation";
import { endingLeftOpen, leftOpenIn } from "./leftOpen";
import { batchInWords, batchRisk, inOrderOfBatches, planBatches, type PlannedBatches } from "./planBatches";
import { planInTurn } from "./planInTurn";
import type { PlanStep } from "./planStep";
import { earlierVersionRisk, otherImageRisk, reasonOfRestart, reasonOfStart, risksOf } from "./restartReason";
import { walkOrder } from "./rollout";
import type { PodView } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { restartsIn, templateState, type TemplateState } from "./wantedTemplate";
import { withoutNode } from "./withoutNode";

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
    const steps = planInTurn(scaled, inOrderOfBatches(views, batches), "restarted", (view) => {
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
    // What no node takes may be what the new template mends.
    const { risk: onNode, ...open } = view.pod?.node === undefined ? {} : withoutNode(view);
    return {
        kind: "restart",
        component: view.target.component,
        target: view.podName,
        why: reasonOfRestart(view, state === "other"),
        does: [...lifecycle.restartDoes(view), "delete pod"],
        waitsFor: `Ready, ${lifecycle.restartWaitsFor?.(view) ?? lifecycle.startWaitsFor}`,
        estimateSeconds: Math.ceil(lifecycle.estimateRestartSeconds(view)),
        risk: risksOf(
            lifecycle.restartRisk(view),
            earlierVersionRisk(view),
            state === "wanted" ? otherImageRisk(view) : undefined,
            onNode,
        ),
        ...(open.isOpenEnded ? { isOpenEnded: true, estimateSeconds: 0 } : {}),
    };
}

/** The pod starts again with the same template, on another node. */
function moveStep(view: PodView, state: TemplateState): PlanStep {
    const { does, ...step } = restartStep(view, state);
    return { ...step, kind: "move", why: nodeOf(view), does: [...does, "which starts on another node"] };
}

function startStep(view: PodView): PlanStep {
    return {
        kind: "start",
        component: view.target.component,
        target: view.podName,
        why: reasonOfStart(view),
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
