import { isPodOf } from "../../../topology/podNames";
import { givenUpVolumesReplaced, releasedClaimsDeleted } from "../stages/claims";
import { memberLifecycles } from "../members/members";
import { emptyMemory, type Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { waitForPd } from "../vocabulary/waitOrFail";
import { firstUnfinished, type PodView, type Stage, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/** Ordinals that the StatefulSet has or will have, told apart by what becomes of them. */
export function ordinalsOf(
    observation: Observation,
    target: MemberTarget,
): { leaving: number[]; staying: number[]; coming: number[] } {
    const member = observation.members[target.component];
    const have = member?.statefulSet?.replicas ?? 0;
    const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
    return {
        leaving: range(target.replicas, have).reverse(),
        staying: range(0, Math.min(have, target.replicas)),
        coming: range(have, target.replicas),
    };
}

/**
 * The next move before the StatefulSet may be given its new number of replicas: stores and members that go leave PD
 * first, volumes that come back are empty, and a removal that was taken back is undone.
 */
export function nextScaleMove(observation: Observation, target: MemberTarget, memory: Memory): Move {
    const lifecycle = memberLifecycles[target.component];
    const { leaving, staying, coming } = ordinalsOf(observation, target);
    if (leaving.length > 0 && lifecycle.looks.scale.length > 0 && observation.pdTrouble) {
        return waitForPd(observation, target, memory);
    }
    const views = (ordinals: number[]) => ordinals.map((ordinal) => viewOf(observation, target, ordinal));
    const moves = [
        ...unfinished(views(staying), stagesOfStaying(target), memory, Infinity),
        ...unfinished(views(leaving), lifecycle.beforeRemoval, memory, target.policy.scaleInParallelism),
        ...unfinished(views(coming), [releasedClaimsDeleted], memory, Infinity),
    ];
    return mostUrgent(moves);
}

/** What must hold of a pod that stays: a removal that was begun and taken back is undone. */
function stagesOfStaying(target: MemberTarget): readonly Stage[] {
    const { afterRemovalTakenBack, isRemovedFromPd } = memberLifecycles[target.component];
    return isRemovedFromPd ? [...afterRemovalTakenBack, givenUpVolumesReplaced(isRemovedFromPd)] : afterRemovalTakenBack;
}

/** @returns whether Kubernetes alone shows that a removal may have been taken back, so that PD must be asked. */
export function mayHaveTakenBackRemoval(observation: Observation, target: MemberTarget): boolean {
    const recorded = Object.values(observation.records.removals).some(({ pod }) =>
        isPodOf(pod, observation.cluster, target.component),
    );
    const { staying } = ordinalsOf(observation, target);
    const claims = observation.members[target.component]?.claims ?? [];
    return recorded || claims.some((claim) => claim.released && staying.includes(claim.ordinal));
}

/** @returns the pods that stay and have something left of a removal that was taken back. */
export function takenBack(observation: Observation, target: MemberTarget): TakenBack[] {
    return ordinalsOf(observation, target)
        .staying.map((ordinal) => viewOf(observation, target, ordinal))
        .flatMap((view) => {
            const move = firstUnfinished(stagesOfStaying(target), view, emptyMemory);
            return move ? [{ view, move }] : [];
        });
}

/** A pod that stays and has something left of a removal that was taken back, and what is done about it first. */
export interface TakenBack {
    view: PodView;
    move: Move;
}

function unfinished(views: PodView[], stages: readonly Stage[], memory: Memory, atOnce: number): Move[] {
    const moves: Move[] = [];
    for (const view of views) {
        const move = firstUnfinished(stages, view, memory);
        if (move && moves.push(move) >= atOnce) {
            break;
        }
    }
    return moves;
}

/** A failure stops everything; otherwise what can be done now is done before anything is waited for. */
function mostUrgent(moves: Move[]): Move {
    for (const kind of ["fail", "look", "act", "wait"] as const) {
        const move = moves.find((one) => one.kind === kind);
        if (move) {
            return move;
        }
    }
    return { kind: "done" };
}
