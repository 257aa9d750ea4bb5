import { hostnameLabel, nodeOfVolume } from "../lostNodes/volumeNode";
import type { Fact } from "../vocabulary/evidence";
import type { Cause } from "./cause";
import type { ClaimFacts, PodFacts } from "./facts";
import type { Node, Pod, Volume } from "./objects";

/** @returns why nothing happens to a pod on its node: the node is gone, or not Ready. What nobody knows is no cause. */
export function whyNodeFails({ name: of, ownNode }: PodFacts, { spec }: Pod): Cause | undefined {
    const node = `node ${spec?.nodeName}`;
    const failure = ownNode && failureOf(ownNode);
    if (failure === undefined) {
        return undefined;
    }
    const { reason, words, evidence } = failure;
    const what = `its ${node} ${words}`;
    return reason === "NodeGone"
        ? {
              of,
              reason,
              what,
              fix: "bring the node back, or wait: Kubernetes deletes the pod and makes it anew. If its volume was on that node and is lost for good, name the node in `operations.lostNodes`",
          }
        : {
              of,
              reason,
              what,
              ...evidence,
              fix: `bring the node back (kubectl describe ${node}); if it is lost for good, delete its Node object once the machine is surely off`,
          };
}

/** @returns why no node takes a pod that was made anew: the node of its volume is gone, or not Ready. */
export function whyVolumeNodeFails({ name: of, volumeNode }: PodFacts): Cause | undefined {
    const failure = volumeNode && failureOf(volumeNode.node);
    if (failure === undefined) {
        return undefined;
    }
    const { reason, words, evidence } = failure;
    const node = `node ${volumeNode?.name}`;
    const lost = "name the node in `operations.lostNodes`";
    const fix =
        reason === "NodeGone"
            ? `bring the node back; if the volume is lost for good, ${lost}`
            : `bring the node back (kubectl describe ${node}); if it is lost for good, delete its Node object once the machine is surely off, then ${lost}`;
    return { of, reason, what: `its volume is on ${node}, which ${words}`, ...evidence, fix };
}

function failureOf(
    node: Fact<Node | undefined>,
): { reason: "NodeGone" | "NodeNotReady"; words: string; evidence?: { evidence: string } } | undefined {
    if (!node.known) {
        return undefined;
    }
    if (node.value === undefined) {
        return { reason: "NodeGone", words: "is gone" };
    }
    const ready = node.value.status?.conditions?.find(({ type }) => type === "Ready");
    if (ready === undefined || ready.status === "True") {
        return undefined;
    }
    const evidence = [ready.reason, ready.message].filter((one) => one).join(": ");
    return { reason: "NodeNotReady", words: "is not Ready", ...(evidence === "" ? {} : { evidence: { evidence } }) };
}

/** @returns the node that a bound volume of these claims is tied to; undefined if none is, or that is not known. */
export function nodeOfClaims(claims: readonly ClaimFacts[], volumes: Fact<readonly Volume[]>): string | undefined {
    const bound = claims.flatMap(({ claim }) => (claim.known ? (claim.value?.spec?.volumeName ?? []) : []));
    const own = (volumes.known ? volumes.value : []).filter(({ metadata }) => bound.includes(metadata?.name ?? ""));
    return own.map(nodeOfVolume).find((node) => node !== undefined);
}

/** @returns whether a node has this name or, as volumes may name it, this host name. */
export function isNamed({ metadata }: Node, name: string): boolean {
    return metadata?.name === name || metadata?.labels?.[hostnameLabel] === name;
}
