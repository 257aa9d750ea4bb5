import type { Pod } from "./objects";
import type { Cause, CauseReason, Finality } from "./cause";
import { type PodFacts, titleOf } from "./facts";
import { shortages, shortageWords } from "./nodes";

/** A reason of the scheduler, as it writes it for some of the nodes: what it means, and what a person can do. */
interface Known {
    readonly pattern: RegExp;
    readonly reason: CauseReason;
    /** @param match of the pattern. */
    readonly words: (nodes: string, match: RegExpExecArray) => string;
    readonly fix: (title: string) => string;
}

const tiedVolume = /volume node affinity|PersistentVolume's node affinity/;

/** @returns whether the scheduler says that nodes cannot reach a volume of the pod. */
export function saysVolumeIsElsewhere(refusal: string): boolean {
    return tiedVolume.test(refusal);
}

/** The texts of the scheduler's plugins (k8s.io/kubernetes pkg/scheduler/framework/plugins). */
const table: readonly Known[] = [
    {
        pattern: /^Insufficient (.+)$/,
        reason: "InsufficientResources",
        words: (nodes, [, resource]) => `${shortageWords(resource)} on ${nodes}`,
        fix: (title) => `lower what ${title} requests, or add a node that has room for it`,
    },
    {
        pattern: /^Too many pods$/,
        reason: "InsufficientResources",
        words: (nodes) => `${nodes} have no room for another pod`,
        fix: () => "add a node, or remove pods from these",
    },
    {
        pattern: /taints?\(?s?\)? (\{.*\})/,
        reason: "Unschedulable",
        words: (nodes, [, taint]) => `${nodes} have the taint ${taint}, which it does not tolerate`,
        fix: (title) => `add a toleration to ${title}, or remove the taint`,
    },
    {
        pattern: /were unschedulable/,
        reason: "Unschedulable",
        words: (nodes) => `${nodes} are cordoned`,
        fix: () => "uncordon a node (kubectl uncordon), or add one",
    },
    {
        pattern: /topology spread constraints/,
        reason: "Unschedulable",
        words: (nodes) => `on ${nodes} it would break its topology spread constraints`,
        fix: (title) =>
            `add nodes in the zones or hosts that have the fewest pods of ${title}, or loosen its topologySpreadConstraints`,
    },
    {
        pattern: /pod (anti-)?affinity/,
        reason: "Unschedulable",
        words: (nodes, [, anti = ""]) => `on ${nodes} it would break the ${anti}affinity between pods`,
        fix: (title) => `add a node that meets it, or loosen the affinity of ${title}`,
    },
    {
        // The second wording is that of Kubernetes 1.36.
        pattern: tiedVolume,
        reason: "Unschedulable",
        words: (nodes) => `${nodes} cannot reach its volume, which is tied to another node or zone`,
        fix: () => "bring back the node or zone of its volume, or add a node there",
    },
    {
        pattern: /node affinity/,
        reason: "Unschedulable",
        words: (nodes) => `${nodes} do not meet its node selector or node affinity`,
        fix: (title) => `correct nodeSelector or affinity of ${title}, or label a node`,
    },
    {
        pattern: /max volume count/,
        reason: "Unschedulable",
        words: (nodes) => `${nodes} have no room for another volume`,
        fix: () => "add a node",
    },
    {
        pattern: /available persistent volumes to bind|enough free storage/,
        reason: "ClaimPending",
        words: (nodes) => `${nodes} have no free volume for its claims`,
        fix: () => "add a volume of that class, large enough, on one of the nodes",
    },
];

/** Waiting for claims is said by the causes of the claims. */
const ofClaims = /unbound immediate PersistentVolumeClaims|persistentvolumeclaim ".*" not found/;
/** How long to look for a sign of an autoscaler before a pod that is too large for every node counts as one that never fits. */
const autoscalerSeconds = 60;

/** @returns why the scheduler finds no node for a pod. None if only its claims are to blame, of which more is known. */
export function whyUnschedulable(facts: PodFacts, pod: Pod, message: string, hasClaimCauses: boolean): Cause[] {
    if (hasClaimCauses && ofClaims.test(message)) {
        return [];
    }
    const { nodes, name } = facts;
    const title = titleOf(facts);
    const short = nodes.known ? shortages(pod, nodes.value) : [];
    const said = reasonsIn(message).flatMap(({ nodes: count, text }) => {
        const entry = table.find(({ pattern }) => pattern.test(text));
        const match = entry?.pattern.exec(text);
        return entry && match ? [{ entry, count, match, text }] : [];
    });
    const resources = short.filter(({ resource }) =>
        said.some(({ match, text }) => text.startsWith("Insufficient") && match[1] === resource),
    );
    const others = said.filter(
        ({ match, text }) =>
            !(text.startsWith("Insufficient") && resources.some(({ resource }) => resource === match[1])),
    );
    const words = [
        ...resources.map((one) => one.words),
        ...others.map(({ entry, count, match }) => agreeing(entry.words(count, match))),
    ];
    const isTooLarge = resources.some((one) => one.isTooLarge);
    const fixes = [...new Set(said.map(({ entry }) => entry.fix(title)))];
    const final: Finality | undefined =
        isTooLarge && mayScale(facts) === false ? { afterSeconds: autoscalerSeconds } : undefined;
    return [
        {
            of: name,
            reason: resources.length > 0 ? "InsufficientResources" : (said[0]?.entry.reason ?? "Unschedulable"),
            what: words.length > 0 ? words.join("; ") : "the scheduler finds no node for it",
            evidence: message,
            fix: fixes.length > 0 ? fixes.join(", and ") : "change what the scheduler names",
            ...(final ? { final } : {}),
        },
    ];
}

function agreeing(words: string): string {
    return words.replace(
        /^1 node (have|are|do)\b/,
        (_, verb: string) => `1 node ${{ have: "has", are: "is", do: "does" }[verb] ?? verb}`,
    );
}

/** The scheduler's counts: `0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint {a: b}. preemption: …`. */
function reasonsIn(message: string): { nodes: string; text: string }[] {
    const [own] = message.split(/\.? ?(?:preemption|no new claims)/);
    const counted = /(\d+) ((?:node\(s\)|Insufficient|Too many)(?:\{[^}]*\}|[^,{])*?)(?=, \d|\. |\.?$)/g;
    return [...own.matchAll(counted)].map(([, count, text]) => ({
        nodes: count === "1" ? "1 node" : `${count} nodes`,
        text: text.replace(/^node\(s\) /, ""),
    }));
}

/**
 * Whether an autoscaler may add a larger node: not if neither the pod's events nor a node shows one, which writes to the pod
 * within a minute. Undefined if that is not known.
 */
function mayScale({ events, nodes }: PodFacts): boolean | undefined {
    if (!events.known || !nodes.known) {
        return undefined;
    }
    const isScaler = (text: string | undefined) => /autoscal|karpenter|autopilot/i.test(text ?? "");
    return (
        events.value.some(
            ({ source, reportingComponent, reason }) =>
                isScaler(source?.component) || isScaler(reportingComponent) || /ScaleUp/.test(reason ?? ""),
        ) ||
        nodes.value.some(({ node: { metadata } }) =>
            [...Object.keys(metadata?.labels ?? {}), ...Object.keys(metadata?.annotations ?? {})].some(isScaler),
        )
    );
}
