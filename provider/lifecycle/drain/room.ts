import { amountsOf, requestsOf, sumOf } from "../diagnosis/amounts";
import { isOpenTo, isReady, tolerates } from "../diagnosis/nodes";
import type { Claim, Node, Pod, Volume } from "../diagnosis/objects";
import type { Room } from "../vocabulary/drain";
import { drainSign } from "./drainSigns";
import { fitsTerms } from "./selectors";
import { fitsBesideOthers, namesOf, type Neighbours, unjudgedRule } from "./spreadFit";

/** Everything that decides which node can take a pod. */
export interface Surroundings {
    readonly nodes: readonly Node[];
    /** The pods of all namespaces, without those that have ended. */
    readonly pods: readonly Pod[];
    /** The claims that the pod mounts, by name; undefined: there is no such claim. */
    readonly claims: Readonly<Record<string, Claim | undefined>>;
    readonly volumes: readonly Volume[];
}

/** A reason why a node does not take the pod, in the order in which the nodes are asked. */
interface Rule {
    readonly words: string;
    readonly lets: (node: Node) => boolean;
}

/**
 * @returns whether another node can take the pod once it has left its own, as the scheduler decides it: volumes, taints, affinity,
 * spread and what is left of CPU, memory and the other resources. What only a node's kubelet or a storage driver knows, such as
 * how many volumes it can attach, is not seen. Preemption is not counted on.
 */
export function roomFor(pod: Pod, { nodes, pods, claims, volumes }: Surroundings): Room {
    const own = nodes.find(({ metadata }) => metadata?.name === pod.spec?.nodeName);
    const others = nodes.filter((node) => node !== own);
    const mounted = Object.entries(claims);
    const lost = mounted.find(([, claim]) => claim === undefined);
    if (lost) {
        return { is: "nowhere", why: `its claim ${lost[0]} does not exist, so its volume is not known` };
    }
    for (const [name, claim] of mounted) {
        const volumeName = claim?.spec?.volumeName;
        const volume = volumes.find(({ metadata }) => metadata?.name === volumeName);
        if (volumeName !== undefined && volume === undefined) {
            return { is: "nowhere", why: `volume ${volumeName} of its claim ${name} is not listed` };
        }
        if (volume && isOnNode(volume) && !others.some((node) => reaches(volume, node))) {
            return { is: "bound", volume: name };
        }
    }
    const unjudged = unjudgedRule(pod);
    if (unjudged !== undefined) {
        return { is: "nowhere", why: `which nodes ${unjudged} allows is not known to this package` };
    }
    const back = nodes.find((node) => drainSign(node) !== undefined && isOpenAlthoughDrained(pod, node));
    if (back !== undefined) {
        const why = `its tolerations let it onto node ${back.metadata?.name}, which ${drainSign(back)}, so it might be moved without end`;
        return { is: "nowhere", why };
    }
    const used = volumes.filter(({ metadata }) => mounted.some(([, one]) => one?.spec?.volumeName === metadata?.name));
    return among(others, [
        { words: "not Ready", lets: isReady },
        { words: "emptied too", lets: (node) => drainSign(node) === undefined },
        { words: "out of reach of its volume", lets: (node) => used.every((volume) => reaches(volume, node)) },
        ...placingRules(pod),
        { words: "without room for what it requests", lets: (node) => hasRoom(pod, node, pods) },
        { words: "without one of its host ports", lets: (node) => hasPorts(pod, node, pods) },
        {
            words: "closed to it by its podAntiAffinity or topologySpreadConstraints",
            lets: (node) => fitsBesideOthers(pod, node, neighboursOf(pod, nodes, pods)),
        },
    ]);
}

function among(others: readonly Node[], rules: readonly Rule[]): Room {
    const { left, against } = ruledOut(others, rules);
    const why = others.length === 0 ? "there is no other node" : `of ${others.length} other nodes: ${against}`;
    return left.length > 0 ? { is: "somewhere", nodes: namesOf(left) } : { is: "nowhere", why };
}

/** Returns the nodes that are left after each rule, and how many each rule rules out. */
function ruledOut(nodes: readonly Node[], rules: readonly Rule[]): { left: readonly Node[]; against: string } {
    let left = nodes;
    const reasons: string[] = [];
    for (const { words, lets } of rules) {
        const fitting = left.filter(lets);
        if (fitting.length < left.length) {
            reasons.push(`${left.length - fitting.length} ${words}`);
        }
        left = fitting;
    }
    return { left, against: reasons.join(", ") };
}

function placingRules(pod: Pod): Rule[] {
    return [
        { words: "closed to it by taints or its node selector", lets: (node) => isOpenTo(pod, node) },
        { words: "not what its node affinity asks for", lets: (node) => fitsAffinity(pod, node) },
    ];
}

/** @returns why none of the nodes takes the pod, whatever else is on them; undefined if one may, or if there is none to judge by. */
export function whyNoNode(pod: Pod, nodes: readonly Node[]): string | undefined {
    const saysReady = ({ status }: Node) => status?.conditions?.find(({ type }) => type === "Ready")?.status ?? "True";
    const rules = [
        { words: "not Ready", lets: (node: Node) => saysReady(node) === "True" },
        { words: "cordoned", lets: (node: Node) => isUncordonedFor(pod, node) },
        ...placingRules(pod),
    ];
    const { left, against } = ruledOut(nodes, rules);
    return left.length > 0 || nodes.length === 0 ? undefined : against;
}

/** Whether a volume's data is on a node's own disk. That of a zone may be reached from another node. */
function isOnNode({ spec }: Volume): boolean {
    const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    const keys = terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key));
    return spec?.local !== undefined || spec?.hostPath !== undefined || keys.includes("kubernetes.io/hostname");
}

/** A path on a node, without an affinity, is on that node alone. */
function reaches({ spec }: Volume, node: Node): boolean {
    const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
    return terms === undefined ? spec?.local === undefined && spec?.hostPath === undefined : fitsTerms(terms, node);
}

function fitsAffinity({ spec }: Pod, node: Node): boolean {
    const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    return terms === undefined || fitsTerms(terms, node);
}

function hasRoom(pod: Pod, { metadata, status }: Node, pods: readonly Pod[]): boolean {
    const there = pods.filter(({ spec }) => spec?.nodeName === metadata?.name);
    const size = amountsOf(status?.allocatable);
    const one = amountsOf({ pods: "1" });
    const used = sumOf(there.map((other) => sumOf([requestsOf(other), one])));
    return Object.entries(sumOf([requestsOf(pod), one])).every(
        ([resource, wanted]) => (size[resource] ?? 0n) - (used[resource] ?? 0n) >= wanted,
    );
}

/** Whether the scheduler may bring the pod onto a node that is being emptied. A taint that only asks to stay away keeps nothing off. */
function isOpenAlthoughDrained(pod: Pod, node: Node): boolean {
    return isOpenTo(pod, node) && isUncordonedFor(pod, node);
}

function isUncordonedFor({ spec }: Pod, node: Node): boolean {
    const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
    return node.spec?.unschedulable !== true || tolerates(spec, cordon);
}

/** Ports of the node itself, which a pod with `hostNetwork` uses for each port of its containers. */
function hasPorts(pod: Pod, { metadata }: Node, pods: readonly Pod[]): boolean {
    const there = pods.filter(({ spec }) => spec?.nodeName === metadata?.name);
    const taken = new Set(there.flatMap(hostPortsOf));
    return !hostPortsOf(pod).some((port) => taken.has(port));
}

function hostPortsOf({ spec }: Pod): string[] {
    const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
    return containers.flatMap(({ ports = [] }) =>
        ports.flatMap(({ hostPort, protocol = "TCP" }) => (hostPort ? [`${hostPort} ${protocol}`] : [])),
    );
}

function neighboursOf(pod: Pod, nodes: readonly Node[], pods: readonly Pod[]): Neighbours {
    const selector = Object.entries(pod.spec?.nodeSelector ?? {});
    const isEligible = (node: Node) =>
        selector.every(([name, value]) => node.metadata?.labels?.[name] === value) && fitsAffinity(pod, node);
    return { nodes, pods, isEligible };
}
