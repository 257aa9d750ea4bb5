import { releasedClaimAnnotation } from "../../../topology/annotations";
import { memberName } from "../../../topology/names";
import { isPodOf } from "../../../topology/podNames";
import { givenUpVolumesReplaced, keptVolumesUnmarked, releasedClaimsDeleted } from "../stages/claims";
import { unfinishedRemake } from "../volumes/remake";
import { memberLifecycles } from "../members/memberLifecycles";
import { cleanUp } from "./cleanUp";
import { mostUrgent } from "./mostUrgent";
import { nextRecoveryModeMove } from "./recoveryMode";
import { type Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation, ObservedClaim, ObservedMember } from "../vocabulary/observation";

import { type Wait, waitForPd, waitOrFail } from "../vocabulary/waitOrFail";
import { type PodView, type Stage, viewOf, walkStages } from "../vocabulary/stage";
import { leaves, type MemberTarget } from "../vocabulary/target";

/**
 * The ordinals that the StatefulSet has or will have, by whether they leave, stay or come. Pods that a deleted StatefulSet has left are
 * taken over by the next one, so they stay too.
 */
export function ordinalsOf(
    observation: Observation,
    target: MemberTarget,
): { leaving: number[]; staying: number[]; coming: number[] } {
    const member = observation.members[target.component];
    const have = member === undefined ? 0 : replicasOf(member);
    const known = Math.max(have, member === undefined ? 0 : unprovenReplicas(member));
    const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
    return {
        leaving: range(target.replicas, have).reverse(),
        staying: range(0, Math.min(known, target.replicas)).filter((ordinal) => !leaves(target, ordinal)),
        coming: range(known, target.replicas),
    };
}

/** @returns how many pods the StatefulSet has; without one, how many it had at least by the pods that run on. */
export function replicasOf({ statefulSet, pods }: ObservedMember): number {
    const left = pods.filter(({ terminating }) => !terminating).map(({ ordinal }) => ordinal + 1);
    return statefulSet?.replicas ?? Math.max(0, ...left);
}

/**
 * How many ordinals a member without a StatefulSet may still use volumes of that a scale-in has released. Where PD stores nothing about
 * them, the mark alone does not prove that the scale-in has ended: it may have been reverted before the member was suspended.
 */
function unprovenReplicas({ component, statefulSet, claims }: ObservedMember): number {
    const isProven = statefulSet !== undefined || memberLifecycles[component].inPd !== undefined;
    const released = isProven ? [] : claims.filter((claim) => claim.released).map(({ ordinal }) => ordinal + 1);
    return Math.max(0, ...released);
}

/**
 * Returns the next move before the StatefulSet gets its new number of replicas. Leaving stores and members are first
 * removed from PD, new ordinals start with empty volumes, and a reverted removal is undone.
 */
export function nextScaleMove(observation: Observation, target: MemberTarget, memory: Memory): Move {
    const remade = unfinishedRemake(observation, target, memory);
    if (remade) {
        return remade;
    }
    const lifecycle = memberLifecycles[target.component];
    const { leaving, staying, coming } = ordinalsOf(observation, target);
    const asksPd = leaving.length > 0 ? lifecycle.looks.scale.length > 0 : mayDeleteReleased(observation, target);
    if (asksPd && observation.pdTrouble) {
        return leaving.length > 0
            ? waitForPd(observation, target, memory)
            : waitOrFail(observation, target, memory, releasedUnknown(observation, target, observation.pdTrouble.why));
    }
    const views = (ordinals: number[]) => ordinals.map((ordinal) => viewOf(observation, target, ordinal));
    const groups = [
        unfinished(views(staying), stagesOfStaying(target), memory, Infinity),
        unfinished(views(leaving), lifecycle.beforeRemoval, memory, target.policy.scaleInParallelism),
        unfinished(views(coming), [releasedClaimsDeleted(lifecycle.inPd)], memory, Infinity),
    ];
    const moves = groups.flatMap((group) => group.moves);
    const last = leaving.length > 0 && staying.length === 0 ? lifecycle.beforeNoneLeft?.(observation) : undefined;
    return (
        watchedOn(
            mostUrgent(moves),
            groups.flatMap((group) => group.passed),
        ) ??
        nextRecoveryModeMove(observation, target, coming, memory) ??
        cleanUp(last, observation, target, memory) ?? { kind: "done" }
    );
}

/** @returns the next move that takes back what was begun with pods that stay; undefined if nothing was. */
export function nextTakenBack(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const views = ordinalsOf(observation, target).staying.map((ordinal) => viewOf(observation, target, ordinal));
    return mostUrgent(unfinished(views, stagesOfStaying(target), memory, Infinity).moves);
}

/** The stages for a pod that stays: a removal that was begun and then reverted is undone. */
function stagesOfStaying(target: MemberTarget): readonly Stage[] {
    const { afterRemovalTakenBack, inPd } = memberLifecycles[target.component];
    const replaced = inPd ? [givenUpVolumesReplaced(inPd)] : [];
    return [...afterRemovalTakenBack, ...replaced, keptVolumesUnmarked(inPd === undefined)];
}

/** @returns whether the Kubernetes data alone shows that a removal may have been reverted, so PD must be queried. */
export function mayHaveTakenBackRemoval(observation: Observation, target: MemberTarget): boolean {
    const recorded = Object.values(observation.records.removals).some(({ pod }) =>
        isPodOf(pod, observation.cluster, target.component),
    );
    const { staying } = ordinalsOf(observation, target);
    const claims = observation.members[target.component]?.claims ?? [];
    return recorded || claims.some((claim) => claim.released && staying.includes(claim.ordinal));
}

/** @returns whether new ordinals have volumes that a mark calls released, so PD must be asked before they are deleted. */
export function mayDeleteReleased(observation: Observation, target: MemberTarget): boolean {
    const { coming } = ordinalsOf(observation, target);
    const claims = observation.members[target.component]?.claims ?? [];
    return (
        memberLifecycles[target.component].inPd !== undefined &&
        claims.some((claim) => claim.released && coming.includes(claim.ordinal))
    );
}

/**
 * @returns why PD cannot come back with this number of replicas, if it has no pod at all: it would have to say first whether volumes with a
 * mark are those of its members. Fewer replicas, whose volumes have no mark, start it.
 */
export function refusedReturn({ members }: Observation, { component, replicas }: MemberTarget): string | undefined {
    const pd = component === "pd" ? members.pd : undefined;
    const marked = releasedBelow(pd, replicas);
    if (pd === undefined || pd.pods.length > 0 || marked.length === 0) {
        return undefined;
    }
    const first = Math.min(...marked.map(({ ordinal }) => ordinal));
    const names = marked.map(({ name }) => name);
    const fewer = first > 0 ? `start PD with ${first} first, or, ` : "";
    return `found ${replicas}, expected ${first > 0 ? first : "volumes without a mark"}: PD has no pod to ask about volumes that a scale-in released. Next: ${fewer}if PD needs them, ${takeMarkOff(names)}`;
}

function releasedBelow(member: ObservedMember | undefined, replicas: number): ObservedClaim[] {
    return (member?.claims ?? []).filter(({ released, ordinal }) => released && ordinal < replicas);
}

const takeMarkOff = (names: readonly string[]) =>
    `take the mark off: kubectl annotate pvc ${names.join(" ")} ${releasedClaimAnnotation}-`;

/** What lacks while PD cannot be asked about released volumes. They may be those of PD's majority, without which it never answers. */
function releasedUnknown({ cluster, members }: Observation, { component, replicas }: MemberTarget, why: string): Wait {
    const names = releasedBelow(members[component], replicas).map(({ name }) => name);
    return {
        step: "pd-answers",
        code: "released-volumes-unknown",
        target: memberName(cluster, "pd"),
        lacks: `PD cannot be asked about released volumes (${names.join(", ")}): ${why}`,
        advice: `if PD needs them, ${takeMarkOff(names)}; otherwise scale out once PD answers`,
    };
}

/** @param atOnce of how many pods the moves are made. What only has to stay as it is for a while is watched of all: it must hold for all at the end. */
function unfinished(
    views: PodView[],
    stages: readonly Stage[],
    memory: Memory,
    atOnce: number,
): { moves: Move[]; passed: string[] } {
    const moves: Move[] = [];
    const over: string[] = [];
    let begun = 0;
    for (const view of views) {
        const { move, passed } = walkStages(stages, view, memory);
        if (move === undefined) {
            over.push(...passed);
            continue;
        }
        moves.push(move);
        begun += move.kind === "wait" && move.steadyAt !== undefined ? 0 : 1;
        if (begun >= atOnce) {
            break;
        }
    }
    return { moves, passed: over };
}

/** A pod that is ready to leave is watched as long as another one is waited for: what was proven of it must hold when the number falls. */
function watchedOn(move: Move | undefined, over: readonly string[]): Move | undefined {
    return (move?.kind === "wait" || move?.kind === "act") && over.length > 0
        ? { ...move, passed: [...(move.passed ?? []), ...over] }
        : move;
}
