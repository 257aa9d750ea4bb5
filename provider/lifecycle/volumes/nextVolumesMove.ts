import { type Memory, wasRefused } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { firstUnfinished, type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { waitOrFail } from "../vocabulary/waitOrFail";
import { unsettled } from "../walks/rollout";
import { ordinalsOf } from "../walks/scale";
import { otherTemplates, remakeOf } from "./claimTemplates";
import { volumeGrown } from "./growth";
import { recreated, unfinishedRemake } from "./remake";

/**
 * Returns the next move towards the sizes that the program wants for a member's volumes. The volumes of one pod grow at a time, so a driver that
 * refuses leaves the others as they are; then the StatefulSet is created again, so that new pods get the size. PD is not needed: its own disk may be full.
 * @returns undefined if all is as wanted.
 */
export function nextVolumesMove(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const unfinished = unfinishedRemake(observation, target, memory);
    if (unfinished) {
        return unfinished;
    }
    const growing = nextGrowthMove(observation, target, memory);
    if (growing) {
        return growing;
    }
    const statefulSet = observation.members[target.component]?.statefulSet;
    if (statefulSet?.terminating !== false || otherTemplates(statefulSet, target).length === 0) {
        return undefined;
    }
    if (!statefulSet.settled) {
        return waitOrFail(observation, target, memory, unsettled(statefulSet.name));
    }
    const { manifest } = statefulSet;
    return manifest === undefined
        ? { kind: "look", at: { manifests: true } }
        : recreated(remakeOf({ ...statefulSet, manifest }, target), observation, target, memory);
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
