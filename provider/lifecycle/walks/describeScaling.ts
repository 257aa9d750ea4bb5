import { memberName } from "../../../topology/names";
import { podName } from "../../../topology/podNames";
import { counted, listed } from "../vocabulary/counted";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";

/** More pods are only counted. */
const mostNamed = 3;

/**
 * @returns what Pulumi does to the StatefulSet after the gate, in words: it starts pods, or takes pods away whose step is done.
 * Undefined if the number of replicas stays, as where the gate has set it itself, or there is no StatefulSet yet.
 */
export function describeScaling(
    { cluster, members }: Observation,
    { component, replicas }: MemberTarget,
): string | undefined {
    const from = members[component]?.statefulSet?.replicas;
    if (from === undefined || from === replicas) {
        return undefined;
    }
    const ordinals = Array.from({ length: Math.abs(replicas - from) }, (_, index) => Math.min(from, replicas) + index);
    const pods =
        ordinals.length > mostNamed
            ? counted(ordinals.length, "pod")
            : listed(ordinals.map((ordinal) => podName(cluster, component, ordinal)));
    const verb = replicas > from ? "starts" : "removes";
    return `next, StatefulSet ${memberName(cluster, component)} ${verb} ${pods} (from ${from} to ${replicas} replicas)`;
}
