import type { V1Pod, V1PodSpec, V1StatefulSet } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import {
    gateFieldManager,
    recoveryModeAnnotation,
    outdatedClaimAnnotation,
    releasedByHand,
    releasedClaimAnnotation,
    releasedIdAnnotation,
    shutdownAnnotation,
    templateRevisionAnnotation,
    clusterTlsAnnotation,
    versionAnnotation,
} from "../../topology/annotations";
import { revisionLabel } from "../../topology/labels";
import type { Component } from "../../topology/members";
import { memberSecretName } from "../../topology/names";
import { podOrdinal } from "../../topology/podNames";
import type { ObservedClaim, ObservedPod, ObservedStatefulSet } from "../lifecycle/vocabulary/observation";
import { claimState } from "./claimState";
import { type NodeAnswer, observeContainer, observeRestarts, zoneOf } from "./containerState";
import { outdatedIn } from "../lifecycle/vocabulary/fixedFields";
import type { ListedClaim } from "./listCalls";
import { ownTrouble, sidecarTrouble } from "./podTrouble";
import { manifestOf } from "./remakeCalls";
import { gatesOwnReplicas, scaledBy } from "./replicasOwner";
import { otherTemplateWriters } from "./templateWriters";

/**
 * Kubernetes truncates times to whole seconds. An event in a pod's first second may be older than the pod, such as the
 * last heartbeat of the store that ran there before: only later events belong to the pod.
 */
const timestampMilliseconds = 1_000;

/**
 * @param withManifest whether to keep what is needed to create it again. Default: false.
 * @returns what decisions need of a member's StatefulSet.
 */
export function observeStatefulSet(
    statefulSet: V1StatefulSet,
    owner: PodOwner,
    withManifest = false,
): ObservedStatefulSet {
    const { metadata, spec, status } = statefulSet;
    const constraints = spec?.template?.spec?.topologySpreadConstraints;
    const templateWriters = otherTemplateWriters(statefulSet);
    return {
        name: metadata?.name ?? "",
        uid: metadata?.uid ?? "",
        terminating: metadata?.deletionTimestamp !== undefined,
        replicas: spec?.replicas ?? 1,
        ...(gatesOwnReplicas(statefulSet) ? { gatesOwnReplicas: true } : {}),
        scaledBy: scaledBy(statefulSet),
        generation: metadata?.generation,
        updateRevision: status?.updateRevision,
        settled:
            status?.observedGeneration !== undefined &&
            status.observedGeneration >= (metadata?.generation ?? 0) &&
            status.updateRevision !== undefined,
        templateRevision: metadata?.annotations?.[templateRevisionAnnotation],
        image: imageOf(spec?.template?.spec, owner.component),
        clusterTls: mountsCertificate(spec?.template?.spec, owner),
        ...(spec?.template?.metadata?.annotations?.[recoveryModeAnnotation] === "true" ? { recovers: true } : {}),
        ...(templateWriters.length === 0 ? {} : { templateWriters }),
        ...(constraints === undefined ? {} : { spreadConstraints: constraints }),
        fixed: {
            podManagementPolicy: spec?.podManagementPolicy ?? "OrderedReady",
            serviceName: spec?.serviceName ?? "",
            claims: (spec?.volumeClaimTemplates ?? []).map((claim) => ({
                name: claim.metadata?.name ?? "",
                storage: claim.spec?.resources?.requests?.storage ?? "",
                storageClass: claim.spec?.storageClassName ?? "",
                ...(claim.spec?.volumeAttributesClassName
                    ? { attributesClass: claim.spec.volumeAttributesClassName }
                    : {}),
            })),
        },
        ...(withManifest ? { manifest: manifestOf(statefulSet) } : {}),
    };
}

/** The cluster and component of an observed pod. */
export interface PodOwner {
    cluster: string;
    component: Component;
}

/**
 * @param node the pod's node, if it was read.
 * @param at when the pod was read, by the run's own clock.
 * @returns what decisions need of a pod; `undefined` if its name does not belong to the member's pods.
 */
export function observePod(
    pod: V1Pod,
    owner: PodOwner,
    node: NodeAnswer | undefined,
    at: number,
): ObservedPod | undefined {
    const { cluster, component } = owner;
    const { metadata, status } = pod;
    const ordinal = podOrdinal(metadata?.name, cluster, component);
    if (ordinal === undefined) {
        return undefined;
    }
    const ready = status?.conditions?.find((condition) => condition.type === "Ready");
    return {
        name: metadata?.name ?? "",
        ordinal,
        uid: metadata?.uid ?? "",
        resourceVersion: metadata?.resourceVersion ?? "",
        revision: metadata?.labels?.[revisionLabel],
        ready: ready?.status === "True",
        readyChangedAt: time(ready?.lastTransitionTime),
        container: observeContainer(pod, component, node, at),
        ...observeRestarts(pod, component),
        createdAt: (time(metadata?.creationTimestamp) ?? 0) + timestampMilliseconds,
        image: imageOf(pod.spec, component),
        clusterTls: mountsCertificate(pod.spec, owner),
        volumes: templatesOf(pod),
        ...(pod.spec?.nodeName ? { node: pod.spec.nodeName } : {}),
        ...(node === undefined ? {} : { zone: zoneOf(pod.spec?.nodeName ?? "", node, at) }),
        terminating: metadata?.deletionTimestamp !== undefined,
        ...(metadata?.deletionGracePeriodSeconds === undefined
            ? {}
            : { graceSeconds: metadata.deletionGracePeriodSeconds }),
        shutdownBegunAt: time(metadata?.annotations?.[shutdownAnnotation]),
        ...(wroteShutdown(pod) ? { ownShutdown: true } : {}),
        trouble: ownTrouble(pod, component),
        sidecarTrouble: sidecarTrouble(pod, component),
    };
}

/** Whether this package wrote the annotation: the API server notes which field manager wrote each field last. */
function wroteShutdown({ metadata }: V1Pod): boolean {
    return (metadata?.managedFields ?? []).some(({ manager, fieldsV1 }) => {
        const fields = fieldsV1 as { "f:metadata"?: { "f:annotations"?: object } } | undefined;
        return (
            manager === gateFieldManager &&
            `f:${shutdownAnnotation}` in (fields?.["f:metadata"]?.["f:annotations"] ?? {})
        );
    });
}

/**
 * @param stateAt when it was read, by the run's own clock. Default: its state is not observed.
 * @returns what decisions need of an ordinal's claim.
 */
export function observeClaim(claim: ListedClaim, ordinal: number, stateAt?: number): ObservedClaim {
    const { metadata } = claim;
    return {
        name: metadata?.name ?? "",
        uid: metadata?.uid ?? "",
        resourceVersion: metadata?.resourceVersion ?? "",
        ordinal,
        ...releaseOf(metadata?.annotations),
        terminating: metadata?.deletionTimestamp !== undefined,
        ...outdatedOf(metadata?.annotations?.[outdatedClaimAnnotation]),
        version: metadata?.annotations?.[versionAnnotation],
        ...tlsOf(metadata?.annotations?.[clusterTlsAnnotation]),
        ...(stateAt === undefined ? {} : { state: claimState(claim, stateAt) }),
    };
}

function releaseOf(
    annotations: Record<string, string> = {},
): Pick<ObservedClaim, "released" | "releasedId" | "releasedByHand"> {
    const mark = annotations[releasedClaimAnnotation];
    const id = annotations[releasedIdAnnotation];
    return {
        released: mark !== undefined,
        ...(mark !== undefined && id ? { releasedId: id } : {}),
        ...(mark === releasedByHand ? { releasedByHand: true } : {}),
    };
}

function outdatedOf(mark: string = ""): Pick<ObservedClaim, "outdated"> {
    const parts = mark.split(",");
    const outdated = outdatedIn.filter((part) => parts.includes(part));
    return outdated.length === 0 ? {} : { outdated };
}

/** Another text is nobody's record. */
function tlsOf(recorded: string | undefined): { tls?: boolean } {
    return recorded === "true" || recorded === "false" ? { tls: recorded === "true" } : {};
}

function imageOf(spec: V1PodSpec | undefined, component: Component): string | undefined {
    return spec?.containers.find(({ name }) => name === component)?.image;
}

/** @returns whether a pod, or a pod template, mounts the member's certificate of `spec.tlsCluster`. */
export function mountsCertificate(spec: V1PodSpec | undefined, { cluster, component }: PodOwner): boolean {
    const name = memberSecretName(cluster, component);
    return (spec?.volumes ?? []).some(({ secret }) => secret?.secretName === name);
}

/** Its StatefulSet's controller names a volume as its template, and the claim after both. */
function templatesOf({ metadata, spec }: V1Pod): string[] {
    return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim }) =>
        claim?.claimName === `${name}-${metadata?.name}` ? [name] : [],
    );
}

function time(value: Date | string | undefined): number | undefined {
    return value === undefined ? undefined : new Date(value).getTime();
}
