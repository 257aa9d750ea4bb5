import type { MemberTarget } from "./target";
import { mayAct, type Memory, waitingSince } from "./memory";
import type { Action, Look, Move } from "./move";
import type {
    Observation,
    ObservedMember,
    ObservedPd,
    ObservedPdMember,
    ObservedPod,
    ObservedStore,
} from "./observation";

/** One pod with all that is known of it. What a stage looks at. */
export interface PodView {
    observation: Observation;
    target: MemberTarget;
    member: ObservedMember;
    ordinal: number;
    podName: string;
    pod?: ObservedPod;
    pd: ObservedPd;
    pdMember?: ObservedPdMember;
    store?: ObservedStore;
}

/** What a stage finds: that it holds, that something must be looked at first, or what is not so yet (in words). */
export type Finding = true | { look: Look } | { lacks: string };

/**
 * One named condition on the way of a pod. A walk goes through a pod's stages in order; the first that does not hold
 * decides what happens now. Conditions are read from the cluster only, so that a run that was killed is taken up
 * where it stopped.
 */
export interface Stage {
    /** Name in plans, progress and errors: `other-stores-up`, `leaders-evicted`, … */
    name: string;
    holds(view: PodView): Finding;
    /** What brings the condition about; without it the condition is only waited for. */
    act?(view: PodView): Action | undefined;
    /** How long to wait, in seconds, from `since` if given, else from when it was first seen not to hold. */
    patience(view: PodView): { seconds: number; since?: number; then: "fail" | "go-on" };
    /** What the user can do when patience ends. */
    advice: string;
}

export function viewOf(observation: Observation, target: MemberTarget, ordinal: number): PodView {
    const member = observation.members[target.component] ?? { component: target.component, pods: [], claims: [] };
    const podName = `${observation.cluster}-${target.component}-${ordinal}`;
    const pd = observation.pd ?? {};
    return {
        observation,
        target,
        member,
        ordinal,
        podName,
        pod: member.pods.find((pod) => pod.ordinal === ordinal),
        pd,
        pdMember: target.component === "pd" ? pd.members?.find((one) => isNameOf(one.name, podName)) : undefined,
        store: pd.stores?.find((store) => store.own && store.podName === podName),
    };
}

/** A PD member is named as its pod, or as the pod's full domain name across Kubernetes clusters. */
export function isNameOf(memberName: string, podName: string): boolean {
    return memberName === podName || memberName.startsWith(`${podName}.`);
}

/**
 * @returns what to do for one pod: the first stage that does not hold decides. `undefined` when all of them hold.
 */
export function firstUnfinished(stages: readonly Stage[], view: PodView, memory: Memory): Move | undefined {
    for (const stage of stages) {
        const finding = stage.holds(view);
        if (finding === true) {
            continue;
        }
        if ("look" in finding) {
            return { kind: "look", at: finding.look };
        }
        const move = moveOf(stage, view, finding.lacks, memory);
        if (move) {
            return move;
        }
    }
    return undefined;
}

function moveOf(stage: Stage, view: PodView, lacks: string, memory: Memory): Move | undefined {
    const { now } = view.observation;
    const patience = stage.patience(view);
    const since = patience.since ?? waitingSince(memory, stage.name, view.podName, now);
    const until = since + patience.seconds * 1000;
    if (now >= until) {
        if (patience.then === "go-on") {
            return undefined;
        }
        return {
            kind: "fail",
            problem: {
                step: stage.name,
                target: view.podName,
                seen: `${lacks}, for ${Math.round((now - since) / 1000)} s`,
                next: stage.advice,
            },
        };
    }
    const action = stage.act?.(view);
    if (action && mayAct(memory, action, now)) {
        return { kind: "act", action, step: stage.name, target: view.podName };
    }
    return { kind: "wait", step: stage.name, target: view.podName, waitingFor: lacks, since, until };
}
