import type { Component } from "../../../topology/members";
import { memberLifecycles } from "../members/memberLifecycles";
import { claimsOf } from "../stages/claims";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Action, Move } from "../vocabulary/move";
import type { FailureRecord } from "../vocabulary/failureRecord";
import type { Observation } from "../vocabulary/observation";
import { firstUnfinished, type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { podName, podOrdinal } from "../../../topology/podNames";
import { type Dead, findDead, lacksDeath, mustAskDeaths, stillDead } from "./findDead";
import type { FailoverPolicy } from "../vocabulary/memberFailover";
import { failuresOf } from "./records";
import { isOver } from "./recovery";

/** What a failover may do: the program's policy, and the replacements that the plan has shown. */
export interface AllowedFailover {
    readonly policy: FailoverPolicy;
    /** The dead pods that the plan replaces. */
    readonly planned: readonly string[];
}

/**
 * Returns the next move of a failover, before the number of replicas changes: a failure is put on record, a dead PD member is
 * removed, its replacement counts. `undefined` if nothing is to be done.
 * @param target the member as the program asks for it, without replacements.
 */
export function nextFailoverMove(
    observation: Observation,
    target: MemberTarget,
    { policy, planned }: AllowedFailover,
    memory: Memory,
): Move | undefined {
    const { failover } = memberLifecycles[target.component];
    if (failover === undefined || observation.pdTrouble !== undefined) {
        return undefined;
    }
    const recorded = failuresOf(observation, target);
    const mayAdd = planned.some((pod) => recorded.every((one) => one.pod !== pod));
    const begun = recorded
        .filter(({ counts }) => !counts)
        .map((failure) => ({ failure, view: viewOfPod(observation, target, failure.pod) }));
    const isUndone = ({ view, failure }: (typeof begun)[number]) => failover.isUndone?.(view, failure) === true;
    // A server itself says whether it is back.
    const lacksStatus = recorded.length > 0 && failover.asksStatus && observation.podStatus === undefined;
    const lacksEvidence = begun.some((one) => isUndone(one) && lacksDeath(one.view));
    if (lacksStatus || lacksEvidence || (mayAdd && mustAskDeaths(observation, target))) {
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
    for (const { view, failure } of begun) {
        const verdict = isUndone({ view, failure }) ? stillDead(view, policy) : "dead";
        const move =
            verdict === "dead"
                ? moveOf(view, failure, policy, memory)
                : verdict === "alive"
                  ? forget(view, failure, memory)
                  : undefined;
        if (move) {
            return move;
        }
    }
    return undefined;
}

/** @returns the view of a pod that a record names. */
export function viewOfPod(observation: Observation, target: MemberTarget, pod: string): PodView {
    return viewOf(observation, target, podOrdinal(pod, observation.cluster, target.component) ?? 0);
}

function forget({ target: { component }, observation }: PodView, { pod }: { pod: string }, memory: Memory): Move {
    return act({ do: "forget-failures", component, pods: [pod] }, "failure-forgotten", pod, memory, observation);
}

/** The steps of a failure that does not count yet. A member that has come back before it was removed is left alone. */
function moveOf(
    view: PodView,
    failure: FailureRecord & { pod: string },
    policy: FailoverPolicy,
    memory: Memory,
): Move | undefined {
    const { target, observation } = view;
    const { component } = target;
    const { failover } = memberLifecycles[component];
    if (failover?.hasComeBack?.(view, failure)) {
        return forget(view, failure, memory);
    }
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
