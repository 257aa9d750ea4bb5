import { templateRevisionAnnotation } from "../../topology/annotations";
import { revisionWith, type Spread, type SpreadConstraint, spreadOf } from "../../provider/lifecycle/vocabulary/spread";
import type { TidbClusterManifest } from "../spec";
import { memberLabels } from "./labels";
import type { MemberDescription, PodsPerNode } from "./memberDescription";
import type { KubernetesObject } from "./object";

const limits: Readonly<Record<PodsPerNode, (replicas: number) => number>> = {
    minority: (replicas) => Math.floor((replicas - 1) / 2),
    third: (replicas) => Math.ceil(replicas / 3),
};

/**
 * @returns the constraints that new pods get: an even spread over zones and nodes if possible, and never more pods on a node than
 * the limit. None where the spec places the pods itself, or `operations.placement` is `off`.
 */
export function defaultSpread(
    manifest: TidbClusterManifest,
    { member, spec: { replicas }, settings, podsPerNode, isPlaced = true }: MemberDescription,
): Spread {
    const { affinity, topologySpreadConstraints } = settings;
    if (podsPerNode === undefined || !isPlaced || affinity !== undefined || topologySpreadConstraints.length > 0) {
        return spreadOf([]);
    }
    const labelSelector = { matchLabels: memberLabels(manifest, member) };
    const soft = (topologyKey: string): SpreadConstraint => ({
        maxSkew: 1,
        topologyKey,
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector,
    });
    const hard: SpreadConstraint = {
        maxSkew: limits[podsPerNode](replicas),
        // With fewer nodes than this, the scheduler counts the pods of a node, and not its difference from other nodes.
        minDomains: replicas,
        nodeTaintsPolicy: "Honor",
        topologyKey: node,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector,
    };
    return spreadOf([...(replicas < 3 ? [] : [hard]), soft(node), soft("topology.kubernetes.io/zone")]);
}

const node = "kubernetes.io/hostname";

/** @returns the StatefulSet with these constraints in its pod template. */
export function withSpread<Parts extends Pick<KubernetesObject, "metadata">>(
    statefulSet: Parts,
    spread: Spread,
): Parts {
    if (spread.revision === "") {
        return statefulSet;
    }
    const { metadata, spec } = statefulSet as Pick<KubernetesObject, "metadata" | "spec">;
    const { template } = spec;
    const { annotations = {} } = metadata;
    const revision = revisionWith(annotations[templateRevisionAnnotation], spread);
    return {
        ...statefulSet,
        metadata: { ...metadata, annotations: { ...annotations, [templateRevisionAnnotation]: revision } },
        spec: {
            ...spec,
            template: { ...template, spec: { ...template.spec, topologySpreadConstraints: spread.constraints } },
        },
    };
}
