import type { ObservedMember } from "../vocabulary/observation";
import type { SpreadConstraint } from "../vocabulary/spread";

/** As few nodes as the operator's scheduler extender accepts once there are as many pods (tidb-operator pkg/scheduler/predicates/ha.go). */
const fewestNodes = 3;

/** @returns how many pods one node may have at most; `undefined` without a limit. */
function mostOnNode(constraints: readonly SpreadConstraint[]): number | undefined {
    return constraints.find(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")?.maxSkew;
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
    const nodes = new Map<string, number>();
    for (const { node } of pods) {
        if (node !== undefined) {
            nodes.set(node, (nodes.get(node) ?? 0) + 1);
        }
    }
    const crowded = [...nodes].filter(([, count]) => count > most);
    if (crowded.length > 0) {
        return crowded.map(
            ([node, count]) =>
                `node ${node} has ${count} of the ${pods.length} pods of ${statefulSet.name}, expected at most ${most}`,
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
