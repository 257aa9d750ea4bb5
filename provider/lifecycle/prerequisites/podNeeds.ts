import { type Component, topology } from "../../../topology/members";
import { shortages } from "../diagnosis/nodes";
import { whyNoNode } from "../drain/room";
import type { Node, Pod } from "../diagnosis/objects";
import { howToCreate, warningOfMissing } from "../jobs/jobSecrets";
import type { JobSecret } from "../jobs/observedJob";
import { counted } from "../vocabulary/counted";
import { notAsked } from "../vocabulary/evidence";

/** What the pods of members need to start, beside the cluster's own objects. */
export interface PodNeeds {
    /** The Secrets and ConfigMaps of the program without which a pod of a member does not start. */
    readonly objects: readonly (JobSecret & { readonly component: Component })[];
    /** A pod of each member, as far as it says how much of a node it requests, and which nodes take it. */
    readonly pods: Partial<Record<Component, Pod>>;
}

/** A warning about pods that will not start, and the members whose pods they are. */
export interface PodWarning {
    readonly words: string;
    readonly members: readonly Component[];
}

/** @returns the warning about Secrets and ConfigMaps that do not exist. */
export function missingForPods(namespace: string, missing: PodNeeds["objects"]): PodWarning[] {
    const lines = missing.map((one) => `${topology[one.component].title}: ${howToCreate(namespace, [one])[0]}`);
    const members = missing.map(({ component }) => component);
    return warningOfMissing("pods do not start", "the pods", lines).map((words) => ({ words, members }));
}

/** @returns the warning about pods that request more than any node has. */
export function tooLargePods(pods: PodNeeds["pods"], nodes: readonly Node[]): PodWarning[] {
    return warningOf("pods do not start unless larger nodes are added", pods, (pod) =>
        shortages(
            pod,
            nodes.map((node) => ({ node, requested: notAsked })),
        )
            .filter(({ isTooLarge }) => isTooLarge)
            .map(({ words }) => words),
    );
}

/** @returns the warning about pods that none of the nodes takes: an autoscaler may still add one. */
export function unplacedPods(pods: PodNeeds["pods"], nodes: readonly Node[]): PodWarning[] {
    return warningOf("pods do not start unless a node is added or opened to them", pods, (pod) => {
        const why = whyNoNode(pod, nodes);
        return why === undefined ? [] : [`of ${counted(nodes.length, "node")}: ${why}`];
    });
}

function warningOf(heading: string, pods: PodNeeds["pods"], problems: (pod: Pod) => string[]): PodWarning[] {
    const found = (Object.entries(pods) as [Component, Pod][]).flatMap(([component, pod]) =>
        problems(pod).map((words) => ({ component, line: `\n- ${topology[component].title}: ${words}` })),
    );
    const words = `${heading}:${found.map(({ line }) => line).join("")}`;
    return found.length === 0 ? [] : [{ words, members: found.map(({ component }) => component) }];
}
