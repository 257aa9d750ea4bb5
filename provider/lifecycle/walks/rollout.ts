import { memberName } from "../../../topology/names";
import { isMoving, movingStages, roomForRestart } from "../drain/moveStages";
import { nextBatchMove } from "./batchWalk";
import { cleanUp } from "./cleanUp";
import { isLeftAlone } from "./leftAlone";
import { isInBatch } from "../stages/batches/batchOnRecord";
import { memberBatches } from "../stages/batches/memberBatches";
import { noteVersion } from "../stages/claimVersions";
import { isStale, lackingBelow, podAvailable, podCreated, podRestarted, podStopped } from "../stages/sharedStages";
import { memberLifecycles } from "../members/memberLifecycles";
import { hasActed, type Memory } from "../vocabulary/memory";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import type { Move } from "../vocabulary/move";
import { onceFor } from "../vocabulary/onceFor";
import type { Observation } from "../vocabulary/observation";
import { ranSince } from "../vocabulary/observedMember";
import { unsettled, waitForPd, waitOrFail } from "../vocabulary/waitOrFail";
import { firstUnfinished, type PodView, type Stage, viewOf, viewsOf } from "../vocabulary/stage";
import { isStopped } from "../stages/stores";
import type { MemberTarget } from "../vocabulary/target";
import { fileSystemGrown, startedForVolume, startsForVolume } from "../volumes/fileSystem";
import { nextDroppedMove } from "../volumes/remadeWith";
import { lowestLacking } from "../stages/podVolumes";
import { unfinishedRemake } from "../volumes/remake";
import { emptiedPodDeleted, isEmptied, losesVolumes, volumesStay } from "./volumesStay";

/** When a rollout ends: once all pods are healthy, or once the members that come later have what they need. */
export type RolloutEnd = "all-well" | "available";

/**
 * When a rollout records the versions on the claims. `with-steps`: once it has taken a step. An update whose preview shows
 * no step neither takes the lock nor writes for records alone. `never`: it changes no version.
 */
export type RolloutNotes = "always" | "with-steps" | "never";

/**
 * Returns the next move of a rollout. A rollout restarts every pod whose revision is not the StatefulSet's update
 * revision, or whose node is being emptied, one at a time, or those of a proven batch side by side. The member's stages must hold before
 * and after each restart.
 */
export function nextRolloutMove(
    observation: Observation,
    target: MemberTarget,
    memory: Memory,
    end: RolloutEnd = "all-well",
    notes: RolloutNotes = "always",
): Move {
    const lifecycle = memberLifecycles[target.component];
    const isNoted = notes === "always" || (notes === "with-steps" && hasActed(memory));
    const unfinished = unfinishedRemake(observation, target, memory);
    if (unfinished) {
        return unfinished;
    }
    const dropped = nextDroppedMove(observation, target, memory);
    if (dropped) {
        return dropped;
    }
    const noted = isNoted ? noteVersion(observation, target.component, memory) : undefined;
    if (noted) {
        return noted;
    }
    const unobserved = waitUntilObserved(observation, target, memory);
    if (unobserved) {
        return unobserved;
    }
    const cannotStartYet = lifecycle.cannotStartYet?.(observation) ?? false;
    const left = lifecycle.leftBehind?.(observation, target);
    if ((end === "available" || cannotStartYet) && !anyStale(observation, target)) {
        const move = waitForAvailability(observation, target, memory);
        // Nobody else ends what is of the whole member.
        const isOpen = lifecycle.leftOpen?.(observation).some(({ atEnd }) => atEnd) === true;
        return (move.kind === "done" && isOpen ? cleanUp(left, observation, target, memory) : undefined) ?? move;
    }
    const order = walkOrder(observation, target);
    // Those that are due come last.
    const isLast = !order.reverse().some(isDue);
    order.reverse();
    const sideBySide = nextBatchMove(observation, target, memory, stagesOf, isLast);
    if (sideBySide) {
        return sideBySide;
    }
    for (const each of order) {
        const view = isLast ? viewOf(observation, target, each.ordinal, isLast) : each;
        if (isLeftAlone(view) || (cannotStartYet && (!isStale(view) || !isStopped(view)))) {
            continue;
        }
        const move = firstUnfinished(stagesOf(view), view, memory);
        if (move) {
            return move;
        }
    }
    return (
        waitForLeavingPods(observation, target, memory) ??
        cleanUp(left, observation, target, memory) ?? { kind: "done" }
    );
}

function stagesOf(view: PodView): readonly Stage[] {
    const { beforeUpgrade = [], beforeRestart } = memberLifecycles[view.target.component];
    if (isStale(view)) {
        const { before, after } = roomForRestart(view);
        const begins = [podStopped, volumesStay, ...before];
        return [...begins, ...beforeUpgrade, ...beforeRestart, ...after, podRestarted];
    }
    if (isMoving(view)) {
        return movingStages(beforeRestart, volumesStay);
    }
    return startsForVolume(view)
        ? [podStopped, volumesStay, ...beforeRestart, startedForVolume]
        : stagesOfNewest(memberLifecycles[view.target.component]);
}

/** The stages of a pod on the newest revision. */
export const stagesOfNewest = onceFor(({ afterRestart }: MemberLifecycle): readonly Stage[] => [
    ...[podCreated, podStopped, emptiedPodDeleted, podAvailable, fileSystemGrown],
    ...afterRestart,
]);

/** Whether the pod is to start again: on the new revision, on another node, or for its volumes. */
const startsAgain = (view: PodView) => isStale(view) || isMoving(view) || startsForVolume(view);

/**
 * Returns the pods in the order in which they are checked. First the pods on the new revision, because no pod is restarted
 * while one of them is unhealthy. Then the pods that do not run, so a corrected template reaches them first. Then the pod
 * that an earlier run had begun to restart, or those of its batch, so two restarts are never under way at once. Then the pods that only leave their node
 * and are not Ready, so they are back before one that serves leaves. Then the rest, PD's leader after its followers, so its leadership moves once, to one that has restarted. Last the
 * pods that must not stop, of which those that do not run are checked right after the others that do not, as are those that only a person
 * deletes. Each group starts with the highest ordinal (tidb-operator's order). Where a pod lacks a volume, those above it come after all others and
 * start with the lowest: before that Kubernetes makes none of them again.
 * @param mustRestart whether a pod has to restart. Default: it is not on the new revision, or has to leave its node.
 */
export function walkOrder(
    observation: Observation,
    target: MemberTarget,
    mustRestart: (view: PodView) => boolean = startsAgain,
): PodView[] {
    const views = viewsOf(observation, target).reverse();
    const { ordinal: lowest = Infinity } = lowestLacking(views) ?? {};
    const { isBegun } = memberLifecycles[target.component];
    const rank = (view: PodView) => {
        if (!mustRestart(view)) {
            return isEmptied(view) ? 2 : 0;
        }
        if (view.ordinal > lowest) {
            return 8;
        }
        // Moving a pod does not repair it, so pods that are not Ready come before those that serve.
        const isIdle = !isStale(view) && view.pod?.ready === false;
        const rest = memberBatches[target.component]?.goesLast?.(view) === true ? 6 : 5;
        // A pod that must not stop keeps no stopped one from being repaired; and while it does not run, no pod that serves stops.
        if (isStopped(view)) {
            return losesVolumes(view) ? 2 : 1;
        }
        if (isBegun?.(view) || isInBatch(view)) {
            return 3;
        }
        return losesVolumes(view) ? 7 : isIdle ? 4 : rest;
    };
    const byRank: PodView[][] = Array.from({ length: 9 }, () => []);
    views.forEach((view) => byRank[rank(view)].push(view));
    byRank[8].reverse();
    return ([] as PodView[]).concat(...byRank);
}

function anyStale(observation: Observation, target: MemberTarget): boolean {
    return walkOrder(observation, target).some(isDue);
}

const isDue = (view: PodView) => startsAgain(view) && !isLeftAlone(view);

/** It was created before its rollout begins. One that is not there was deleted, and does not come by itself. */
const noStatefulSetSeconds = 60;

/** Nothing is decided until the controller has caught up with the StatefulSet and PD answers. */
function waitUntilObserved(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const statefulSet = observation.members[target.component]?.statefulSet;
    const name = memberName(observation.cluster, target.component);
    if (statefulSet === undefined) {
        return waitOrFail(observation, target, memory, {
            step: "statefulset-observed",
            target: name,
            lacks: `there is no StatefulSet ${name}`,
            advice: "if somebody has deleted it, run `pulumi up --refresh`, which creates it again",
            seconds: noStatefulSetSeconds,
        });
    }
    if (!statefulSet.settled) {
        return waitOrFail(observation, target, memory, unsettled(name));
    }
    if (target.replicas > 0 && memberLifecycles[target.component].looks.rollout.length > 0 && observation.pdTrouble) {
        return (
            restartPodsThatCannotStart(observation, target, memory) ??
            (memberLifecycles[target.component].withoutPd === "go-on" && !anyStale(observation, target)
                ? { kind: "done" }
                : waitForPd(observation, target, memory))
        );
    }
    return undefined;
}

/**
 * A PD that is down cannot answer, so the pods that would repair it restart without asking it. Recreating a pod takes
 * nothing down if its node reports that the process does not run. Pods are recreated one at a time, each only once the
 * previous one runs.
 */
function restartPodsThatCannotStart(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    if (memberLifecycles[target.component].withoutPd === undefined) {
        return undefined;
    }
    const views = walkOrder(observation, target);
    const begun = views.find((view) => !isStale(view) && !runs(view));
    if (begun) {
        return undefined;
    }
    const dead = views.find(
        (view) => isStale(view) && view.pod?.trouble !== undefined && isStopped(view) && !lackingBelow(view),
    );
    const move = dead && firstUnfinished([podStopped, volumesStay, podRestarted], dead, memory);
    return move?.kind === "act" ? { ...move, withoutPd: true } : move;
}

function runs({ pod }: PodView): boolean {
    return pod !== undefined && !pod.terminating && ranSince(pod.container) !== undefined;
}

function waitForAvailability(observation: Observation, target: MemberTarget, memory: Memory): Move {
    const lacks = memberLifecycles[target.component].available(observation, target);
    if (lacks === undefined) {
        return { kind: "done" };
    }
    const trouble = observation.members[target.component]?.pods.find((pod) => pod.trouble);
    return waitOrFail(observation, target, memory, {
        step: "available",
        target: trouble?.name ?? memberName(observation.cluster, target.component),
        lacks: trouble ? `${lacks} (${trouble.name}: ${trouble.trouble})` : lacks,
        advice: "fix what keeps these pods from starting and run `pulumi up` again: it continues from here",
    });
}

function waitForLeavingPods(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const leaving = observation.members[target.component]?.pods.find((pod) => pod.ordinal >= target.replicas);
    return leaving
        ? waitOrFail(observation, target, memory, {
              step: "pod-scaled-away",
              target: leaving.name,
              lacks: `${leaving.name} is still stopping`,
              advice: "check the pod: a finalizer or an unreachable node can keep it from stopping",
          })
        : undefined;
}
