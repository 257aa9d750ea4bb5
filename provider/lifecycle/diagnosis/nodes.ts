import type { Node, Pod, Taint } from "./objects";
import { amountsOf, amountText, amountWords, requestsOf, resourceName } from "./amounts";
import type { NodeFacts } from "./facts";

/** What no node has room for, in words, and whether no node could ever have it. */
export interface Shortage {
    readonly resource: string;
    readonly words: string;
    /** Whether the pod requests more than any node has in all. */
    readonly isTooLarge: boolean;
}

/** @returns whether a node reports that it can run pods. A node that reports nothing is not Ready. */
export function isReady({ status }: Node): boolean {
    return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

/** @returns the resources of which a pod requests more than nodes have, or have left. */
export function shortages(pod: Pod, nodes: readonly NodeFacts[]): Shortage[] {
    const open = nodes.filter(({ node }) => isOpenTo(pod, node));
    return Object.entries(requestsOf(pod)).flatMap(([resource, wanted]): Shortage[] => {
        const sizes = nodes.map(({ node }) => ({ name: node.metadata?.name, amount: sizeOf(node, resource) }));
        const largest = most(sizes);
        if (largest !== undefined && largest.amount < wanted) {
            const has = `the largest of ${counted(nodes.length)} has ${amountText(resource, largest.amount)}`;
            const short = `${amountText(resource, wanted - largest.amount)} short`;
            const words = `it requests ${amountWords(resource, wanted)}, and no node has as much: ${has} (${short})`;
            return [{ resource, words, isTooLarge: true }];
        }
        const left = open.flatMap(({ node, requested }) =>
            requested.known
                ? [{ name: node.metadata?.name, amount: sizeOf(node, resource) - (requested.value[resource] ?? 0n) }]
                : [],
        );
        const lacking = left.filter(({ amount }) => amount < wanted);
        const best = most(lacking);
        // If the pods of one node are not known, nothing can be said of all of them.
        if (best === undefined || left.length < open.length) {
            return [];
        }
        const free = best.amount < 0n ? 0n : best.amount;
        const words = `it requests ${amountWords(resource, wanted)}, and ${lacking.length} of ${counted(open.length)} ${lacking.length === 1 ? "has" : "have"} less left: at most ${amountText(resource, free)}, on ${best.name} (${amountText(resource, wanted - free)} short)`;
        return [{ resource, words, isTooLarge: false }];
    });
}

/** @returns the name of a resource whose shortage nothing but the scheduler's message shows. */
export function shortageWords(resource: string): string {
    return `not enough ${resourceName(resource)}`;
}

function sizeOf({ status }: Node, resource: string): bigint {
    return amountsOf(status?.allocatable)[resource] ?? 0n;
}

function most<T extends { amount: bigint }>(all: readonly T[]): T | undefined {
    return all.reduce<T | undefined>((one, other) => (one && one.amount >= other.amount ? one : other), undefined);
}

function counted(nodes: number): string {
    return nodes === 1 ? "1 node" : `${nodes} nodes`;
}

/** @returns whether taints and the node selector let the pod onto the node. Affinity is left to the scheduler's message. */
export function isOpenTo({ spec }: Pod, { metadata, spec: node }: Node): boolean {
    const labels = metadata?.labels ?? {};
    return (
        Object.entries(spec?.nodeSelector ?? {}).every(([name, value]) => labels[name] === value) &&
        (node?.taints ?? []).every((taint) => taint.effect === "PreferNoSchedule" || tolerates(spec, taint))
    );
}

/** @returns whether the pod tolerates the taint. */
export function tolerates(spec: Pod["spec"], { key, value = "", effect }: Taint): boolean {
    return (spec?.tolerations ?? []).some(
        (one) =>
            (one.effect === undefined || one.effect === effect) &&
            (one.operator === "Exists"
                ? one.key === undefined || one.key === key
                : one.key === key && (one.value ?? "") === value),
    );
}
