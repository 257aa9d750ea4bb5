import type { Component } from "../../../topology/members";
import { memberLifecycles } from "../members/memberLifecycles";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Action } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import type { FailureRecord } from "../vocabulary/failureRecord";
import type { Observation } from "../vocabulary/observation";
import { claimsOf, firstUnfinished, type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { waitForPd, waitOrFail } from "../vocabulary/waitOrFail";
import { memberName } from "../../../topology/names";
import { podName, podOrdinal } from "../../../topology/podNames";
import { type Dead, findDead, lacksDeath, mayCrashAgain, mustAskDeaths, stillDead } from "./findDead";
import type { FailoverPolicy } from "../vocabulary/memberFailover";
import { type FailureOfPod, failuresOf, isNeverAdded } from "./records";
import { isOver, lacksWayBack } from "./recovery";
import { templateDoubt } from "./templateDoubt";

/** What a failover may do: the program's policy, and the replacements that the plan has shown. */
export interface AllowedFailover {
    readonly policy: FailoverPolicy;
    /** The dead pods that the plan replaces. */
    readonly planned: readonly string[];
}

/**
 * Returns the next move of a failover, before the number of replicas changes: a failure is put on record, a dead PD member is
 * removed, its replacement counts. What the plan has shown waits for evidence that is lacking for a moment. `undefined` if nothing is to
 * be done.
 * @param target the member as the program asks for it, without replacements.
 */
export function nextFailoverMove(
    observation: Observation,
    target: MemberTarget,
    { policy, planned }: AllowedFailover,
    memory: Memory,
): Move | undefined {
    const { failover } = memberLifecycles[target.component];
    if (failover === undefined) {
        return undefined;
    }
    const recorded = failuresOf(observation, target);
    const isLacking = planned.some((pod) => {
        const record = recorded.find((one) => one.pod === pod);
        return record ? !record.counts : viewOfPod(observation, target, pod).pod?.ready !== true;
    });
    if (observation.pdTrouble !== undefined) {
        // Whether one that was never added is still needed, or goes off the record, only PD tells.
        const isOpen = isLacking || recorded.some((one) => isNeverAdded(observation, target, one));
        return isOpen ? waitForPd(observation, target, memory) : undefined;
    }
    const mayAdd = planned.some((pod) => recorded.every((one) => one.pod !== pod));
    const begun = unreplaced(observation, target, policy);
    // A server itself says whether it is back.
    const lacksStatus = recorded.length > 0 && failover.asksStatus && observation.podStatus === undefined;
    const lacksEvidence = begun.some(({ view, failure }) => isOnlyNoted(view, failure) && lacksDeath(view));
    const mustAskBack = lacksWayBack(observation, target, policy);
    if (lacksStatus || lacksEvidence || mustAskBack || (mayAdd && mustAskDeaths(observation, target))) {
        const { looks: parts, asksStatus: status } = failover;
        return { kind: "look", at: { deathsOf: target.component, parts, status } };
    }
    const next = mayAdd
        ? findDead(observation, target, policy).toReplace.find(({ view }) => planned.includes(view.podName))
        : undefined;
    if (next) {
        const action = noteFailure(next, recorded.length);
        return act(action, "failure-noted", next.view.podName, memory, observation);
    }
    for (const { view, failure, is } of begun) {
        const move =
            is === "alive"
                ? forget(view, failure, memory)
                : is === "dead" && !failure.counts
                  ? moveOf(view, failure, policy, memory)
                  : undefined;
        if (move) {
            return move;
        }
    }
    // Another leader of PD has not heard of the stores yet.
    const unsound = isLacking && mayAdd ? failover.unsound(observation) : undefined;
    const open = planned.filter((pod) => recorded.every((one) => one.pod !== pod));
    const lacks =
        unsound ??
        betweenCrashes(
            open.map((pod) => viewOfPod(observation, target, pod)),
            policy,
        );
    return lacks === undefined
        ? undefined
        : waitOrFail(observation, target, memory, {
              step: "replacement-due",
              target: memberName(observation.cluster, target.component),
              lacks,
              advice:
                  unsound === undefined
                      ? "see the log of its last run: `kubectl logs --previous`"
                      : "check PD and its stores: nothing is replaced until most of them answer",
          });
}

/** @returns why a replacement waits although its pod crashes again and again: at this moment the process runs, or has just ended. */
function betweenCrashes(views: readonly PodView[], policy: FailoverPolicy): string | undefined {
    const one = views.find((view) => {
        const { failover } = memberLifecycles[view.target.component];
        const isDeadToPd = failover?.verdict(view, policy.periodSeconds * 1000).is === "dead";
        return isDeadToPd && mayCrashAgain(view, policy) && stillDead(view, policy) === "unknown";
    });
    const named = one && memberLifecycles[one.target.component].failover?.named(one);
    const doubt = one && templateDoubt(one, policy.periodSeconds * 1000);
    if (doubt !== undefined) {
        return `${named} is not replaced yet: ${doubt}`;
    }
    return (
        named &&
        `${named} runs, or has just ended, after a restart; it is replaced once kubelet waits to restart it again`
    );
}

/** A failure on record, and what is known of its pod now: only `dead` is a reason to go on, only `alive` one to forget it. */
interface Unreplaced {
    readonly failure: FailureOfPod;
    readonly view: PodView;
    readonly is: "dead" | "alive" | "unknown";
}

/** @returns the failures on record without a replacement in the StatefulSet, whether it counts or not. */
export function unreplaced(observation: Observation, target: MemberTarget, policy: FailoverPolicy): Unreplaced[] {
    return failuresOf(observation, target)
        .filter((failure) => !failure.counts || isNeverAdded(observation, target, failure))
        .map((failure) => {
            const view = viewOfPod(observation, target, failure.pod);
            return { failure, view, is: standing(view, failure, policy) };
        });
}

/** @returns what is known of the pod of a failure on record. */
export function standing(view: PodView, failure: FailureRecord, policy: FailoverPolicy): Unreplaced["is"] {
    const { failover } = memberLifecycles[view.target.component];
    if (failover?.hasComeBack?.(view, failure)) {
        return "alive";
    }
    return isOnlyNoted(view, failure) ? stillDead(view, policy) : "dead";
}

/** Whether nothing of it was removed. */
function isOnlyNoted(view: PodView, failure: FailureRecord): boolean {
    return memberLifecycles[view.target.component].failover?.isUndone?.(view, failure) ?? true;
}

/** @returns the view of a pod that a record names. */
export function viewOfPod(observation: Observation, target: MemberTarget, pod: string): PodView {
    return viewOf(observation, target, podOrdinal(pod, observation.cluster, target.component) ?? 0);
}

function forget({ target: { component }, observation }: PodView, { pod }: { pod: string }, memory: Memory): Move {
    return act({ do: "forget-failures", component, pods: [pod] }, "failure-forgotten", pod, memory, observation);
}

/** The steps of a failure that does not count yet. */
function moveOf(view: PodView, failure: FailureOfPod, policy: FailoverPolicy, memory: Memory): Move | undefined {
    const { target, observation } = view;
    const { component } = target;
    const { failover } = memberLifecycles[component];
    return (
        firstUnfinished(failover?.beforeReplacement?.(failure, policy) ?? [], view, memory) ??
        act(
            { do: "count-replacement", component, pod: failure.pod },
            "replacement-counts",
            failure.pod,
            memory,
            observation,
        )
    );
}

/**
 * Returns the last move after the number of replicas may change: what no longer counts is forgotten. Until then a failover that is
 * undone can be taken up again.
 * @param mayRecover whether the plan has shown that the replacements go.
 */
export function forgetFailures(
    observation: Observation,
    target: MemberTarget,
    { policy, mayRecover }: { policy: FailoverPolicy | undefined; mayRecover: boolean },
    memory: Memory,
): Move | undefined {
    const { component } = target;
    const all = Object.keys(observation.records.failovers?.[component]?.failures ?? {});
    const wanted = failuresOf(observation, target).map(({ pod }) => pod);
    const pods = mayRecover && isOver(observation, target, policy) ? all : all.filter((pod) => !wanted.includes(pod));
    return pods.length === 0
        ? undefined
        : act({ do: "forget-failures", component, pods }, "failure-forgotten", pods[0], memory, observation);
}

/** @returns the last move for a member that leaves the program: a member of that kind that comes later has no failures. */
export function forgetAllFailures(observation: Observation, component: Component, memory: Memory): Move | undefined {
    const pods = Object.keys(observation.records.failovers?.[component]?.failures ?? {});
    return pods.length === 0
        ? undefined
        : act({ do: "forget-failures", component, pods }, "failure-forgotten", pods[0], memory, observation);
}

/** @returns the action that puts a failure on record. @param others how many are on record. */
export function noteFailure({ view }: Dead, others: number): Extract<Action, { do: "note-failure" }> {
    const { target, podName: pod, observation } = view;
    const { component, replicas } = target;
    const { failover } = memberLifecycles[component];
    const failure: FailureRecord = {
        podUid: view.pod?.uid ?? "",
        claims: claimsOf(view).map(({ name, uid }) => ({ name, uid })),
        ...failover?.identity(view),
        replacedBy: podName(observation.cluster, component, replicas + others),
        at: observation.now,
        ...(failover?.beforeReplacement === undefined ? { counts: true } : {}),
    };
    return { do: "note-failure", component, pod, failure };
}

function act(action: Action, step: string, target: string, memory: Memory, { now }: Observation): Move {
    return mayAct(memory, action, now)
        ? { kind: "act", action, step, target }
        : { kind: "wait", step, target, waitingFor: "the record on the Lease is not seen yet", since: now };
}
