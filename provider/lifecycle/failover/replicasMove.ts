import { memberName } from "../../../topology/names";
import { describeAction } from "../vocabulary/actions";
import { mayAct, type Memory, waitingSince } from "../vocabulary/memory";
import type { Action, Move, StatefulSetReplicas } from "../vocabulary/move";
import type { Observation, ObservedStatefulSet } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { memberLifecycles } from "../members/memberLifecycles";
import type { FailoverPolicy } from "../vocabulary/memberFailover";
import { standing, viewOfPod } from "./failoverMoves";
import { failuresOf, isNeverAdded, withReplacements } from "./records";

/** The API server shows a change at once. One that something else takes back again and again must not keep the lock. */
const seenWithinMilliseconds = 60_000;

/**
 * Returns the move that gives the StatefulSet one more replica for each counted replacement, where no `pulumi up` follows that would;
 * `undefined` if it has them.
 * @param target the member as the last update asked for it, without replacements.
 */
export function nextReplicasMove(
    observation: Observation,
    target: MemberTarget,
    policy: FailoverPolicy,
    memory: Memory,
): Move | undefined {
    const { component } = target;
    const live = observation.members[component]?.statefulSet;
    const { replicas } = withReplacements(observation, target);
    if (live === undefined || live.replicas === replicas || !isStillNeeded(observation, target, policy)) {
        return undefined;
    }
    const problem = betweenUpdates(observation, target);
    if (problem !== undefined) {
        const name = memberName(observation.cluster, component);
        return {
            kind: "fail",
            problem: { step: "set-replicas", target: name, seen: problem, next: "run `pulumi up`, which ends it" },
        };
    }
    return act({ do: "set-replicas", from: scaleOf(live), replicas }, live.name, memory, observation);
}

/**
 * Returns the move before `pulumi up` applies the StatefulSet, once every pod that leaves may go: the number of replicas becomes a field
 * of Pulumi's field manager again; `undefined` if it is one. Until an update that knows of the replacement does this, another one that
 * applies an earlier number ends in a conflict, and takes no pod away. A number that falls is set here: the state of the stack may have
 * that of before the failover, and then Pulumi applies nothing.
 * @param target the member with the number of replicas of this update.
 */
export function giveReplicasBack(
    observation: Observation,
    { component, replicas }: Pick<MemberTarget, "component" | "replicas">,
    memory: Memory,
): Move | undefined {
    const live = observation.members[component]?.statefulSet;
    if (live?.gatesOwnReplicas !== true) {
        return undefined;
    }
    const from = scaleOf(live);
    const action: Action =
        live.replicas > replicas ? { do: "set-replicas", from, replicas } : { do: "give-replicas-back", from };
    return act(action, live.name, memory, observation);
}

/** What the gate knows of a number of replicas beside the cluster. */
export interface AppliedReplicas {
    /** The number that the stack's state has. */
    readonly replicas: unknown;
    /** Whether a person consents to steps: a consent covers what Pulumi takes away, and not what a gate does. */
    readonly needsConsent: boolean;
}

/**
 * @returns whether the gate sets the number of replicas again: somebody has scaled the StatefulSet by hand although the stack's state has
 * the number that it is to have, so Pulumi does not see it, and applies nothing. What an update left behind that died before Pulumi
 * applied it is no such change. With consents, one that was raised is left to `pulumi up --refresh`.
 */
export function isSetAgain(
    { members }: Observation,
    { component, replicas }: Pick<MemberTarget, "component" | "replicas">,
    applied: AppliedReplicas,
): boolean {
    const live = members[component]?.statefulSet;
    return (
        live?.scaledBy !== undefined &&
        applied.replicas === replicas &&
        (applied.needsConsent ? live.replicas < replicas : live.replicas !== replicas)
    );
}

/** Returns that move, once every pod that leaves may go; `undefined` where there is none. `giveReplicasBack` comes after it. */
export function setReplicasAgain(
    observation: Observation,
    target: Pick<MemberTarget, "component" | "replicas">,
    applied: AppliedReplicas,
    memory: Memory,
): Move | undefined {
    const live = observation.members[target.component]?.statefulSet;
    return live !== undefined && isSetAgain(observation, target, applied)
        ? act({ do: "set-replicas", from: scaleOf(live), replicas: target.replicas }, live.name, memory, observation)
        : undefined;
}

/** @returns whether the StatefulSet lacks a replica for a replacement on record. */
export function lacksReplicas(observation: Observation, target: MemberTarget): boolean {
    const live = observation.members[target.component]?.statefulSet;
    return live !== undefined && live.replicas < withReplacements(observation, target).replicas;
}

/** What an earlier run has begun is ended only on the evidence that began it, however long ago that was: each missing replacement's own. */
function isStillNeeded(observation: Observation, target: MemberTarget, policy: FailoverPolicy): boolean {
    const { failover } = memberLifecycles[target.component];
    const counted = failuresOf(observation, target).filter(({ counts }) => counts);
    const missing = counted.filter((failure) => isNeverAdded(observation, target, failure));
    // With more replicas than the records explain, none is missing.
    const asked = lacksReplicas(observation, target) ? missing : counted;
    return (
        observation.pdTrouble === undefined &&
        failover?.unsound(observation) === undefined &&
        asked.length > 0 &&
        asked.every((one) => standing(viewOfPod(observation, target, one.pod), one, policy) === "dead")
    );
}

/**
 * @returns why the number of replicas is not one that the last update and the replacements on record explain: an update has not
 * ended, or somebody scales by hand. Undefined if they explain it.
 */
export function betweenUpdates(observation: Observation, target: MemberTarget): string | undefined {
    const live = observation.members[target.component]?.statefulSet?.replicas;
    const { replicas: most } = withReplacements(observation, target);
    if (live === undefined || (live >= target.replicas && live <= most)) {
        return undefined;
    }
    const wanted = most === target.replicas ? `${most}` : `${target.replicas} to ${most}`;
    return `the StatefulSet has ${live} replicas, expected ${wanted}, as the last update asked for: an update has not ended, or somebody has scaled it by hand`;
}

function scaleOf({ name, uid, replicas }: ObservedStatefulSet): StatefulSetReplicas {
    return { name, uid, replicas };
}

function act(action: Action, target: string, memory: Memory, { now }: Observation): Move {
    const step = action.do;
    const since = waitingSince(memory, step, target, now);
    if (now - since > seenWithinMilliseconds) {
        const seen = `${describeAction(action)}: after ${Math.round((now - since) / 1000)} s the StatefulSet does not show it`;
        const next = `find out what changes it back: kubectl get statefulset ${target} --show-managed-fields --output yaml`;
        return { kind: "fail", problem: { step, target, seen, next } };
    }
    return mayAct(memory, action, now)
        ? { kind: "act", action, step, target }
        : { kind: "wait", step, target, waitingFor: "the StatefulSet's change is not seen yet", since };
}
