import { podName } from "../../../topology/podNames";
import type { Fact } from "./evidence";
import { notAsked } from "./evidence";
import { mayAct, type Memory, steadySince, waitingSince, waitKey } from "./memory";
import type { Action, Move } from "./move";
import type {
    Observation,
    ObservedMember,
    ObservedPd,
    ObservedPdMember,
    ObservedPod,
    ObservedStore,
} from "./observation";
import type { Look } from "./look";
import type { MemberTarget } from "./target";

/** One pod with all that is known of it. What a stage looks at. */
export interface PodView {
    observation: Observation;
    target: MemberTarget;
    member: ObservedMember;
    ordinal: number;
    podName: string;
    pod?: ObservedPod;
    pd: ObservedPd;
    /** Its members in PD: more than one where an earlier one never started. */
    pdMembers: readonly ObservedPdMember[];
    pdMember?: ObservedPdMember;
    /** Stores that PD lists under its address: more than one is a mistake that nobody here can judge. */
    stores: readonly ObservedStore[];
    /** Its store, where PD lists exactly one. */
    store?: ObservedStore;
}

/**
 * What a stage finds: that it holds; that something must be looked at first; what is not so yet, in words, and how much
 * of it is left; or that it is so, and must be found again until it has been so for some seconds.
 */
export type Finding =
    | true
    | { look: Look }
    | { lacks: string; left?: number }
    /** `at`: when that was asked, by the run's own clock. Default: now. */
    | { lacks: string; steadyFor: number; at?: number };

/** How long to wait without progress, from when it was first seen not to hold, by this run's own clock. */
export interface Patience {
    seconds: number;
    /** What happens when that time is over. */
    then: "fail" | "go-on";
    /** Stages with the same word share that time. Default: the stage's name. */
    as?: string;
}

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
    /** How long to wait for it. Default: `podReadyTimeoutSeconds`, then it fails. */
    patience?(view: PodView): Patience;
    /** What the user can do when patience ends. */
    advice: string;
}

export function viewOf(observation: Observation, target: MemberTarget, ordinal: number): PodView {
    const member = observation.members[target.component] ?? { component: target.component, pods: [], claims: [] };
    const name = podName(observation.cluster, target.component, ordinal);
    const { pd } = observation;
    const isMember = target.component === "pd" && pd.members.known;
    const pdMembers = isMember && pd.members.known ? pd.members.value.filter((one) => one.podName === name) : [];
    const stores = pd.stores.known ? pd.stores.value.filter((store) => store.own && store.podName === name) : [];
    return {
        observation,
        target,
        member,
        ordinal,
        podName: name,
        pod: member.pods.find((pod) => pod.name === name),
        pd,
        pdMembers,
        pdMember: pdMembers.find((one) => one.name !== "") ?? pdMembers[0],
        stores,
        store: stores.length === 1 ? stores[0] : undefined,
    };
}

/** @returns what to say of a fact that is not known; or that PD is to be asked for it, where nobody was yet. */
export function lacksFact(fact: Extract<Fact<unknown>, { known: false }>, what: string, look?: Look): Finding {
    return fact === notAsked && look ? { look } : { lacks: `${what} not known: ${fact.why}` };
}

/**
 * @returns what to do for one pod: the first stage that does not hold decides. `undefined` when all of them hold.
 */
export function firstUnfinished(stages: readonly Stage[], view: PodView, memory: Memory): Move | undefined {
    const passed: string[] = [];
    for (const stage of stages) {
        const finding = stage.holds(view);
        if (finding === true) {
            continue;
        }
        if ("look" in finding) {
            return { kind: "look", at: finding.look };
        }
        const move = moveOf(stage, view, finding, memory);
        if (move) {
            // Their time stays over for as long as what comes after them is waited for.
            return passed.length > 0 && (move.kind === "wait" || move.kind === "act") ? { ...move, passed } : move;
        }
        passed.push(waitKey(patienceOf(stage, view).as ?? stage.name, view.podName));
    }
    return undefined;
}

/** @returns how long the stage is waited for. */
export function patienceOf({ patience }: Stage, view: PodView): Patience {
    return patience?.(view) ?? { seconds: view.target.policy.podReadyTimeoutSeconds, then: "fail" };
}

function moveOf(
    stage: Stage,
    view: PodView,
    finding: Exclude<Finding, true | { look: Look }>,
    memory: Memory,
): Move | undefined {
    const { now } = view.observation;
    const { lacks } = finding;
    const isSteady = "steadyFor" in finding;
    const patience = patienceOf(stage, view);
    const waitAs = patience.as ?? stage.name;
    const steadyAt = isSteady ? (finding.at ?? now) : undefined;
    if (
        isSteady &&
        steadyAt !== undefined &&
        steadyAt - steadySince(memory, waitAs, view.podName, now, steadyAt) >= finding.steadyFor * 1000
    ) {
        return undefined;
    }
    // A deadline after which it goes on is the user's: progress does not move it.
    const left = isSteady || patience.then === "go-on" ? undefined : finding.left;
    const since = waitingSince(memory, waitAs, view.podName, now, left);
    const until = since + patience.seconds * 1000;
    if (now >= until) {
        if (patience.then === "go-on") {
            return undefined;
        }
        const seen = `${lacks}, for ${Math.round((now - since) / 1000)} s`;
        return { kind: "fail", problem: { step: stage.name, target: view.podName, seen, next: stage.advice } };
    }
    const action = isSteady ? undefined : stage.act?.(view);
    if (action && mayAct(memory, action, now)) {
        return { kind: "act", action, step: stage.name, target: view.podName, ...(patience.as ? { waitAs } : {}) };
    }
    const as = patience.as ? { waitAs } : {};
    const wait = { step: stage.name, target: view.podName, ...as, waitingFor: lacks, since, until };
    return { kind: "wait", ...wait, ...(left === undefined ? {} : { left }), ...(isSteady ? { steadyAt } : {}) };
}
