import { tolerates } from "../diagnosis/nodes";
import type { Node, Pod, PodTerm, TopologySpread } from "../diagnosis/objects";
import { selects } from "./selectors";

/** What decides where a pod may be beside other pods. */
export interface Neighbours {
    readonly nodes: readonly Node[];
    /** The pods of all namespaces, without those that have ended. */
    readonly pods: readonly Pod[];
    /** Whether node selector and node affinity of the pod fit a node. */
    readonly isEligible: (node: Node) => boolean;
}

/** @returns what of a pod's placement rules cannot be judged here; undefined if all can. */
export function unjudgedRule({ spec }: Pod): string | undefined {
    const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
    const isForeign = (one: PodTerm) =>
        one.namespaceSelector !== undefined || one.matchLabelKeys !== undefined || one.mismatchLabelKeys !== undefined;
    if ((podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0) {
        return "its podAffinity";
    }
    if ((podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(isForeign)) {
        return "its podAntiAffinity";
    }
    return hardSpreads(spec).some(({ matchLabelKeys = [] }) => matchLabelKeys.length > 0)
        ? "its topologySpreadConstraints"
        : undefined;
}

/**
 * @returns whether the pod, which leaves its own node, keeps its required podAntiAffinity and its topologySpreadConstraints on the
 * node (k8s.io/kubernetes pkg/scheduler/framework/plugins/podtopologyspread and interpodaffinity).
 */
export function fitsBesideOthers(pod: Pod, node: Node, neighbours: Neighbours): boolean {
    const others = neighbours.pods.filter(({ metadata }) => metadata?.uid !== pod.metadata?.uid);
    const beside = { ...neighbours, pods: others };
    // The scheduler leaves out pods that end for the spread alone.
    const staying = { ...beside, pods: others.filter(({ metadata }) => metadata?.deletionTimestamp === undefined) };
    const terms = pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    return (
        terms.every((term) => keepsApart(pod, node, term, beside)) &&
        hardSpreads(pod.spec).every((spread) => keepsSpread(pod, node, spread, staying))
    );
}

function hardSpreads(spec: Pod["spec"]): readonly TopologySpread[] {
    return (spec?.topologySpreadConstraints ?? []).filter(
        ({ whenUnsatisfiable }) => whenUnsatisfiable !== "ScheduleAnyway",
    );
}

function keepsApart(pod: Pod, node: Node, term: PodTerm, { nodes, pods }: Neighbours): boolean {
    const domain = domainOf(node, term.topologyKey);
    const inDomain = new Set(namesOf(nodes.filter((one) => domainOf(one, term.topologyKey) === domain)));
    const own = pod.metadata?.namespace ?? "";
    const namespaces = term.namespaces?.length ? term.namespaces : [own];
    return (
        domain === undefined ||
        !pods.some(
            ({ metadata, spec }) =>
                inDomain.has(spec?.nodeName ?? "") &&
                namespaces.includes(metadata?.namespace ?? "") &&
                selects(term.labelSelector, metadata?.labels),
        )
    );
}

function keepsSpread(pod: Pod, node: Node, spread: TopologySpread, { nodes, pods, isEligible }: Neighbours): boolean {
    const { topologyKey, labelSelector, minDomains = 1, maxSkew } = spread;
    const counts = new Map<string, number>();
    const domains = new Map<string, string>();
    for (const one of nodes.filter((other) => isCountedFor(pod, other, spread, isEligible))) {
        const domain = domainOf(one, topologyKey);
        if (domain !== undefined) {
            counts.set(domain, 0);
            domains.set(one.metadata?.name ?? "", domain);
        }
    }
    for (const { metadata, spec } of pods) {
        const domain = domains.get(spec?.nodeName ?? "");
        const isCounted = metadata?.namespace === pod.metadata?.namespace && selects(labelSelector, metadata?.labels);
        if (domain !== undefined && isCounted) {
            counts.set(domain, (counts.get(domain) ?? 0) + 1);
        }
    }
    const own = counts.get(domainOf(node, topologyKey) ?? "");
    const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
    const more = selects(labelSelector, pod.metadata?.labels) ? 1 : 0;
    return own !== undefined && own + more - least <= maxSkew;
}

/** Whether a node's pods count for a constraint. */
function isCountedFor(
    { spec }: Pod,
    node: Node,
    { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" }: TopologySpread,
    isEligible: Neighbours["isEligible"],
): boolean {
    const isOpen = (node.spec?.taints ?? []).every(
        (taint) => taint.effect === "PreferNoSchedule" || tolerates(spec, taint),
    );
    return (nodeAffinityPolicy === "Ignore" || isEligible(node)) && (nodeTaintsPolicy === "Ignore" || isOpen);
}

function domainOf({ metadata }: Node, key: string): string | undefined {
    return metadata?.labels?.[key];
}

export function namesOf(nodes: readonly Node[]): string[] {
    return nodes.flatMap(({ metadata }) => metadata?.name ?? []);
}
