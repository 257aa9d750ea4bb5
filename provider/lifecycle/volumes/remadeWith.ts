import type { FixedClaim } from "../vocabulary/fixedFields";
import type { Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation, ObservedStatefulSet } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { unsettled, waitOrFail } from "../vocabulary/waitOrFail";
import { remakeOf } from "./claimTemplates";
import { droppedTemplates } from "../stages/podVolumes";
import { recreated } from "./remake";

/**
 * @returns the next move after the StatefulSet has its new pod template, which takes the volumes out that the program does not have any more. It comes
 * before the restarts: a pod gets a volume of each claim template, mounted or not. Undefined if there are none.
 */
export function nextDroppedMove(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const statefulSet = observation.members[target.component]?.statefulSet;
    return statefulSet?.terminating !== false || droppedTemplates(statefulSet, target).length === 0
        ? undefined
        : remadeWith(target.claims ?? [], statefulSet, observation, target, memory);
}

/** @returns the move that creates the StatefulSet again with these claim templates, once its controller has seen it as it is. */
export function remadeWith(
    templates: readonly FixedClaim[],
    statefulSet: ObservedStatefulSet,
    observation: Observation,
    target: MemberTarget,
    memory: Memory,
): Move {
    if (!statefulSet.settled) {
        return waitOrFail(observation, target, memory, unsettled(statefulSet.name));
    }
    const { manifest } = statefulSet;
    return manifest === undefined
        ? { kind: "look", at: { manifests: true } }
        : recreated(remakeOf({ ...statefulSet, manifest }, target.component, templates), observation, target, memory);
}
