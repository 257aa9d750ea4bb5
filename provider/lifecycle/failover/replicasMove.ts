import { memberName } from "../../../topology/names";
import type { Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { memberLifecycles } from "../members/memberLifecycles";
import type { FailoverPolicy } from "../vocabulary/memberFailover";
import { changeReplicas, scaleOf } from "../walks/changeReplicas";
import { standing, viewOfPod } from "./failoverMoves";
import { failuresOf, isNeverAdded, withReplacements } from "./records";

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
            problem: {
                code: "replicas-unexplained",
                step: "set-replicas",
                target: name,
                seen: problem,
                next: "run `pulumi up`, which ends it",
            },
        };
    }
    return changeReplicas(live, { do: "set-replicas", from: scaleOf(live), replicas }, memory, observation);
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
