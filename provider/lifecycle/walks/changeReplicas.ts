import { describeAction } from "../vocabulary/actions";
import { mayAct, type Memory, waitingSince } from "../vocabulary/memory";
import type { Action, StatefulSetReplicas } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import type { Observation, ObservedStatefulSet } from "../vocabulary/observation";

/** How a gate changes the number of replicas of a StatefulSet itself. */

/** The API server shows a change at once. One that something else takes back again and again must not keep the lock. */
const seenWithinMilliseconds = 60_000;

/** @returns the number of replicas that an action found. */
export function scaleOf({ name, uid, replicas }: ObservedStatefulSet): StatefulSetReplicas {
    return { name, uid, replicas };
}

/** @returns the move that takes the action, waits until the StatefulSet shows it, or fails where something else changes it back. */
export function changeReplicas(
    { name: target }: Pick<ObservedStatefulSet, "name">,
    action: Action,
    memory: Memory,
    { now }: Pick<Observation, "now">,
): Move {
    const step = action.do;
    const since = waitingSince(memory, step, target, now);
    if (now - since > seenWithinMilliseconds) {
        const seen = `${describeAction(action)}: after ${Math.round((now - since) / 1000)} s the StatefulSet does not show it`;
        const next = `find out what changes it back: kubectl get statefulset ${target} --show-managed-fields --output yaml`;
        return { kind: "fail", problem: { code: "replicas-changed-back", step, target, seen, next } };
    }
    return mayAct(memory, action, now)
        ? { kind: "act", action, step, target }
        : { kind: "wait", step, target, waitingFor: "the StatefulSet's change is not seen yet", since };
}
