import type { ObservedMember, ObservedPod } from "../vocabulary/observation";
import type { SpreadConstraint } from "../vocabulary/spread";

/** As few nodes as the operator's scheduler extender accepts once there are as many pods (tidb-operator pkg/scheduler/predicates/ha.go). */
const fewestNodes = 3;

/** @returns how many pods one node may have at most; `undefined` without a limit. */
export function mostOnNode(constraints: readonly SpreadConstraint[]): number | undefined {
    return constraints.find(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")?.maxSkew;
}

/** @returns the pods of each node that has any; those without a node are left out. */
export function podsByNode(pods: readonly ObservedPod[]): ReadonlyMap<string, readonly ObservedPod[]> {
    const nodes = new Map<string, ObservedPod[]>();
    for (const pod of pods) {
        if (pod.node !== undefined) {
            nodes.set(pod.node, [...(nodes.get(pod.node) ?? []), pod]);
        }
    }
    return nodes;
}

/** @returns which nodes have more of the member's pods than one lost node may take, in words; empty if none has. */
export function crowdedNodes(
    { pods, statefulSet }: ObservedMember,
    constraints: readonly SpreadConstraint[],
): string[] {
    const most = mostOnNode(constraints);
    if (most === undefined || statefulSet === undefined) {
        return [];
    }
    const nodes = podsByNode(pods);
    const crowded = [...nodes].filter(([, { length }]) => length > most);
    if (crowded.length > 0) {
        return crowded.map(
            ([node, { length }]) =>
                `node ${node} has ${length} of the ${pods.length} pods of ${statefulSet.name}, expected at most ${most}`,
        );
    }
    const isWhole = pods.length >= fewestNodes && pods.every(({ node }) => node !== undefined);
    return isWhole && nodes.size < fewestNodes
        ? [
              `all ${pods.length} pods of ${statefulSet.name} are on ${nodes.size} nodes, expected at least ${fewestNodes}`,
          ]
        : [];
}

/** @returns pods of the member whose node is not known: not created, or not scheduled yet. */
export function podsWithoutNode({ pods, statefulSet }: ObservedMember): string[] {
    return Array.from({ length: statefulSet?.replicas ?? 0 }, (_, ordinal) => ordinal)
        .filter((ordinal) => pods.find((pod) => pod.ordinal === ordinal)?.node === undefined)
        .map((ordinal) => `${statefulSet?.name}-${ordinal}`);
}
