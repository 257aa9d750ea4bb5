import { hasTaken, type Memory } from "../vocabulary/memory";
import type { Action } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import type { Observation, ObservedStatefulSet } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { memberLifecycles } from "../members/memberLifecycles";
import { changeReplicas, scaleOf } from "./changeReplicas";

/** Numbers of replicas that Pulumi does not set itself, because it does not see that they were changed, or does not own the field. */

/**
 * Returns the move before `pulumi up` applies the StatefulSet, once every pod that leaves may go: the number of replicas becomes a field
 * of Pulumi's field manager again; `undefined` if it is one. Until an update that knows of the replacement does this, another one that
 * applies an earlier number ends in a conflict, and takes no pod away. A number that falls, of a member that PD knows, is set here, right
 * after the look that proves that the pods are out of PD: until Pulumi writes it, seconds later, one of them could join. So is one of
 * which `isSetAgain` says so.
 * @param target the member with the number of replicas of this update.
 * @param applied the number that the stack's state has.
 */
export function giveReplicasBack(
    observation: Observation,
    target: Pick<MemberTarget, "component" | "replicas">,
    applied: unknown,
    memory: Memory,
): Move | undefined {
    const { component, replicas } = target;
    const live = observation.members[component]?.statefulSet;
    const falls = live !== undefined && live.replicas > replicas && memberLifecycles[component].looks.scale.length > 0;
    if (live === undefined || !(falls || isGivenBack(live))) {
        return undefined;
    }
    const from = scaleOf(live);
    const isSet = live.replicas > replicas || isSetAgain(observation, target, applied);
    const action: Action = isSet ? { do: "set-replicas", from, replicas } : { do: "give-replicas-back", from };
    return changeReplicas(live, action, memory, observation);
}

/**
 * @returns the move after `pulumi up` has applied the StatefulSet, if it has fewer replicas than this update asks for: Pulumi applies
 * nothing where its state has that number already, as after a scale-in that was killed before Pulumi recorded it, and taken back. Once
 * raised, the number is a field of Pulumi's field manager again.
 */
export function raiseReplicas(
    observation: Observation,
    { component, replicas }: Pick<MemberTarget, "component" | "replicas">,
    memory: Memory,
): Move | undefined {
    const live = observation.members[component]?.statefulSet;
    if (live === undefined) {
        return undefined;
    }
    const from = scaleOf(live);
    const raise = { do: "set-replicas", from, replicas } as const;
    // An autoscaler lowers it again and again. Once is enough for what Pulumi has not applied.
    const isRaised = hasTaken(memory, raise);
    if (live.replicas < replicas) {
        return isRaised ? undefined : changeReplicas(live, raise, memory, observation);
    }
    const isToGiveBack = isRaised && live.replicas === replicas && live.gatesOwnReplicas === true;
    return isToGiveBack ? changeReplicas(live, { do: "give-replicas-back", from }, memory, observation) : undefined;
}

/** @returns whether the number of replicas belongs to others than Pulumi too: `kubectl scale`, or a gate that has replaced a dead pod. */
export function isGivenBack({ gatesOwnReplicas, scaledBy }: ObservedStatefulSet): boolean {
    return gatesOwnReplicas === true || scaledBy !== undefined;
}

/**
 * @returns whether another field manager holds the number of replicas with another value. Until a gate has given the field back, each dry
 * run of the StatefulSet with this value ends in a conflict, whatever else changes in it.
 */
export function areReplicasHeld(
    { members }: Pick<Observation, "members">,
    { component, replicas }: Pick<MemberTarget, "component" | "replicas">,
): boolean {
    const live = members[component]?.statefulSet;
    return live !== undefined && isGivenBack(live) && live.replicas !== replicas;
}

/**
 * @returns whether the gate sets the number of replicas again: somebody has scaled the StatefulSet by hand although the stack's state has
 * the number that it is to have, so Pulumi does not see it, and applies nothing. What an update left behind that died before Pulumi
 * applied it is no such change.
 * @param applied the number that the stack's state has.
 */
export function isSetAgain(
    { members }: Pick<Observation, "members">,
    { component, replicas }: Pick<MemberTarget, "component" | "replicas">,
    applied: unknown,
): boolean {
    const live = members[component]?.statefulSet;
    return live?.scaledBy !== undefined && applied === replicas && live.replicas !== replicas;
}
