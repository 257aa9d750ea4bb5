import { memberName } from "../../../topology/names";
import { mayAct, type Memory, wasRefused } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { firstUnfinished, type PodView, type Stage, viewOf, viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { waitOrFail } from "../vocabulary/waitOrFail";
import { ordinalsOf } from "../walks/scale";
import { otherTemplates } from "./claimTemplates";
import { volumeModified } from "./attributes";
import { volumeGrown } from "./growth";
import { addedTemplates, droppedTemplates, lowestLacking, withAddedTemplates } from "../stages/podVolumes";
import { podAvailable, podCreated, podStopped } from "../stages/sharedStages";
import { falselyMarked, unmarked } from "./outdated";
import { emptyClaimsDeleted } from "./deletedWithPod";
import { unfinishedRemake } from "./remake";
import { remadeWith } from "./remadeWith";

/**
 * Returns the next move towards the sizes and classes that the program wants for a member's volumes. The volumes of one pod grow at a time, so a driver
 * that refuses leaves the others as they are; those that must be replaced are marked; then the StatefulSet is created again, so that new pods get what
 * the program wants. PD is not needed: its own disk may be full.
 * @returns undefined if all is as wanted.
 */
export function nextVolumesMove(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const unfinished = unfinishedRemake(observation, target, memory);
    if (unfinished) {
        return unfinished;
    }
    const growing = nextGrowthMove(observation, target, memory) ?? nextModification(observation, target, memory);
    if (growing) {
        return growing;
    }
    const marked = nextMark(observation, target, memory);
    if (marked) {
        return marked;
    }
    const statefulSet = observation.members[target.component]?.statefulSet;
    const added = addedTemplates(statefulSet, target);
    if (
        statefulSet?.terminating !== false ||
        (added.length === 0 && otherTemplates(statefulSet, target).length === 0)
    ) {
        return nextEmptyMove(observation, target, memory);
    }
    const templates = [...(target.claims ?? []), ...droppedTemplates(statefulSet, target)];
    return (
        (added.length === 0 ? undefined : nextBeforeAdding(observation, target, memory)) ??
        remadeWith(templates, statefulSet, observation, target, memory)
    );
}

/** A pod that is away when the StatefulSet gets another volume would stay away until all pods below it have that. */
function nextBeforeAdding(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const then = withAddedTemplates(observation, target);
    const views = ordinalsOf(then, target).staying.map((ordinal) => viewOf(then, target, ordinal));
    const { ordinal: lowest = Infinity } = lowestLacking(views) ?? {};
    for (const view of views.filter(({ ordinal }) => ordinal > lowest)) {
        const move = firstUnfinished([podCreated, podStopped, podAvailable], view, memory);
        if (move !== undefined) {
            return move;
        }
    }
    return undefined;
}

/** The marks stay where the StatefulSet's new templates do not show any more which volumes were there before. */
function nextMark(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const { component } = target;
    const views = viewsOf(observation, { ...target, replicas: liveOrWanted(observation, target) });
    const due = views.flatMap(unmarked).map(({ claim: { name, uid }, parts }) => ({ name, uid, parts }));
    const over = views.flatMap(falselyMarked).map(({ name, uid }) => ({ name, uid, parts: [] }));
    const claims = due.length > 0 ? due : over;
    const [first] = claims;
    if (first === undefined) {
        return undefined;
    }
    const action = { do: "mark-outdated", component, claims } as const;
    const on = { step: "claims-marked", target: memberName(observation.cluster, component) } as const;
    return mayAct(memory, action, observation.now)
        ? { kind: "act", action, ...on, withoutPd: true }
        : waitOrFail(observation, target, memory, {
              ...on,
              lacks: `${first.name} does not show its mark`,
              advice: "find out what takes the annotation pulumi-tidb.io/outdated off: kubectl get pvc --show-managed-fields",
          });
}

function liveOrWanted({ members }: Observation, { component, replicas }: MemberTarget): number {
    return Math.max(replicas, members[component]?.statefulSet?.replicas ?? 0);
}

/** @returns the move that deletes what has no volume and is of no use: claims of templates that the program has corrected since, and their pods. */
function nextEmptyMove(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const views = viewsOf(observation, { ...target, replicas: liveOrWanted(observation, target) });
    return firstWithoutPd(views, emptyClaimsDeleted, memory);
}

function nextModification(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    return firstWithoutPd(growthOrder(observation, target), volumeModified, memory);
}

/** @returns the move of the first pod for which the stage does not hold. PD is not asked. */
function firstWithoutPd(views: readonly PodView[], stage: Stage, memory: Memory): Move | undefined {
    for (const view of views) {
        const move = firstUnfinished([stage], view, memory);
        if (move !== undefined) {
            return move.kind === "act" ? { ...move, withoutPd: true } : move;
        }
    }
    return undefined;
}

/** @returns the next move towards the sizes of a member's volumes, one pod's at a time; undefined if all have them. */
export function nextGrowthMove(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    for (const view of growthOrder(observation, target)) {
        const action = volumeGrown.act?.(view);
        if (action && wasRefused(memory, action)) {
            continue;
        }
        const move = firstUnfinished([volumeGrown], view, memory);
        if (move !== undefined) {
            return move.kind === "act" ? { ...move, withoutPd: true } : move;
        }
    }
    return undefined;
}

/** @returns the pods that stay, first those that do not serve: a full disk may be the reason. */
export function growthOrder(observation: Observation, target: MemberTarget): PodView[] {
    if (target.claims === undefined && target.growth === undefined) {
        return [];
    }
    const views = ordinalsOf(observation, target).staying.map((ordinal) => viewOf(observation, target, ordinal));
    const serves = ({ pod }: PodView) => pod?.ready === true;
    return [...views.filter((view) => !serves(view)), ...views.filter(serves)];
}
