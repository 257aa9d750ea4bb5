import { isStale, podAvailable, podCreated, podRestarted, podStopped } from "./conditions";
import { memberLifecycles } from "./members";
import { mayAct, type Memory } from "./memory";
import { describeAction, type Move } from "./move";
import type { Observation } from "./observation";
import { waitForPd, waitOrFail } from "./patience";
import { firstUnfinished, type PodView, viewOf } from "./stage";
import type { MemberTarget } from "./target";

/** When a rollout is over: all pods are well, or only what the members that come later need is there. */
export type RolloutEnd = "all-well" | "available";

/**
 * The next move of a rollout, from what is observed now. Restarts every pod that runs another revision than the
 * StatefulSet asks for, one at a time, each preceded and followed by the member's conditions.
 */
export function nextRolloutMove(
    observation: Observation,
    target: MemberTarget,
    memory: Memory,
    end: RolloutEnd = "all-well",
): Move {
    const lifecycle = memberLifecycles[target.component];
    const blind = waitForSight(observation, target, memory);
    if (blind) {
        return blind;
    }
    const cannotStartYet = lifecycle.cannotStartYet?.(observation) ?? false;
    if ((end === "available" || cannotStartYet) && !anyStale(observation, target)) {
        return waitForAvailability(observation, target, memory);
    }
    for (const view of walkOrder(observation, target)) {
        if (cannotStartYet && (!isStale(view) || view.pod?.ready)) {
            continue;
        }
        const stages = isStale(view)
            ? [podStopped, ...lifecycle.beforeRestart, podRestarted]
            : [podCreated, podStopped, podAvailable, ...lifecycle.afterRestart];
        const move = firstUnfinished(stages, view, memory);
        if (move) {
            return move;
        }
    }
    return waitForLeavingPods(observation, target, memory) ?? cleanUp(observation, target, memory) ?? { kind: "done" };
}

/**
 * The order in which pods are looked at. Those on the new revision first: none is touched while one of them is not
 * well. Then those that do not run anyway, so that a corrected template reaches them first. Then the one that an
 * earlier run had begun with, so that two are never under way. Then the rest. Highest
 * ordinal first in each (tidb-operator's order).
 */
export function walkOrder(observation: Observation, target: MemberTarget): PodView[] {
    const views = Array.from({ length: target.replicas }, (_, index) =>
        viewOf(observation, target, target.replicas - 1 - index),
    );
    const { isBegun } = memberLifecycles[target.component];
    const rank = (view: PodView) => {
        if (!isStale(view)) {
            return 0;
        }
        return view.pod?.ready ? (isBegun?.(view) ? 2 : 3) : 1;
    };
    return views.sort((a, b) => rank(a) - rank(b) || b.ordinal - a.ordinal);
}

function anyStale(observation: Observation, target: MemberTarget): boolean {
    return walkOrder(observation, target).some(isStale);
}

/** Nothing is decided about a StatefulSet that its controller has not caught up with, nor without PD's word. */
function waitForSight(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const statefulSet = observation.members[target.component]?.statefulSet;
    const name = `${observation.cluster}-${target.component}`;
    if (!statefulSet?.settled) {
        return waitOrFail(observation, target, memory, {
            step: "statefulset-observed",
            target: name,
            lacks: statefulSet
                ? `the StatefulSet controller has not seen the newest ${name}`
                : `there is no StatefulSet ${name}`,
            advice: "look whether kube-controller-manager runs, and at the StatefulSet's events",
        });
    }
    if (target.replicas > 0 && memberLifecycles[target.component].looks.rollout.length > 0 && !observation.pd) {
        return (
            restartWhatCannotStart(observation, target, memory) ??
            (memberLifecycles[target.component].withoutPd === "go-on" && !anyStale(observation, target)
                ? { kind: "done" }
                : waitForPd(observation, target, memory))
        );
    }
    return undefined;
}

/**
 * PD that is down answers nobody, so that what is to mend it needs no word of its. A pod that Kubernetes itself says
 * cannot start takes nothing down by being made anew.
 */
function restartWhatCannotStart(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const dead = walkOrder(observation, target).filter(
        (view) =>
            memberLifecycles[target.component].withoutPd !== undefined &&
            isStale(view) &&
            !view.pod?.ready &&
            view.pod?.trouble !== undefined,
    );
    for (const view of dead) {
        const move = firstUnfinished([podRestarted], view, memory);
        if (move?.kind === "act") {
            return move;
        }
    }
    return undefined;
}

function waitForAvailability(observation: Observation, target: MemberTarget, memory: Memory): Move {
    const lacks = memberLifecycles[target.component].available(observation, target);
    if (lacks === undefined) {
        return { kind: "done" };
    }
    const trouble = observation.members[target.component]?.pods.find((pod) => pod.trouble);
    return waitOrFail(observation, target, memory, {
        step: "available",
        target: trouble?.name ?? `${observation.cluster}-${target.component}`,
        lacks: trouble ? `${lacks} (${trouble.name}: ${trouble.trouble})` : lacks,
        advice: "mend what keeps these pods from starting and run `pulumi up` again: it goes on from here",
    });
}

function cleanUp(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const action = memberLifecycles[target.component].leftBehind?.(observation, target);
    if (!action) {
        return undefined;
    }
    const wait = { step: "left-behind", target: `${observation.cluster}-${target.component}` };
    if (mayAct(memory, action, observation.now)) {
        return { kind: "act", action, ...wait };
    }
    const lacks = `an earlier run left something behind; tried: ${describeAction(action)}`;
    return waitOrFail(observation, target, memory, {
        ...wait,
        lacks,
        advice: "look at PD's log, then run `pulumi up` again",
    });
}

function waitForLeavingPods(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const leaving = observation.members[target.component]?.pods.find((pod) => pod.ordinal >= target.replicas);
    return leaving
        ? waitOrFail(observation, target, memory, {
              step: "pod-scaled-away",
              target: leaving.name,
              lacks: `${leaving.name} is still stopping`,
              advice: "look at the pod: a finalizer or an unreachable node can keep it from going",
          })
        : undefined;
}
