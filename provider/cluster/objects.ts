import type { V1PersistentVolumeClaim, V1Pod, V1StatefulSet } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import type { ObservedClaim, ObservedPod, ObservedStatefulSet } from "../lifecycle/observation";

/** Annotation that marks a claim as given up by a scale-in. The operator's own, so that either tool understands the other's. */
export const RELEASED_CLAIM_ANNOTATION = "tidb.pingcap.com/pvc-defer-deleting";
/** Annotation with the digest of the template that this package rendered into a StatefulSet. */
export const TEMPLATE_REVISION_ANNOTATION = "pulumi.com/tidb-template-revision";

/** Annotation of a pod that says when its graceful shutdown was begun. The operator's own, for the same reason. */
export const SHUTDOWN_ANNOTATION = "tidb.pingcap.com/ticdc-graceful-shutdown-begin-time";

/**
 * Kubernetes writes whole seconds and cuts the rest off. What happened in a pod's first second may be from before it
 * was made, as the last heartbeat of the store that ran there is: only what is later is the pod's own.
 */
const TIMESTAMP_MILLISECONDS = 1_000;

const POD_STARTS = new Set(["ContainerCreating", "PodInitializing"]);

/** @returns what decisions need of a StatefulSet. */
export function observeStatefulSet(statefulSet: V1StatefulSet): ObservedStatefulSet {
    const { metadata, spec, status } = statefulSet;
    return {
        name: metadata?.name ?? "",
        uid: metadata?.uid ?? "",
        terminating: metadata?.deletionTimestamp !== undefined,
        replicas: spec?.replicas ?? 1,
        updateRevision: status?.updateRevision,
        settled:
            status?.observedGeneration !== undefined &&
            status.observedGeneration >= (metadata?.generation ?? 0) &&
            status.updateRevision !== undefined,
        templateRevision: metadata?.annotations?.[TEMPLATE_REVISION_ANNOTATION],
        fixed: {
            podManagementPolicy: spec?.podManagementPolicy ?? "OrderedReady",
            serviceName: spec?.serviceName ?? "",
            claims: (spec?.volumeClaimTemplates ?? []).map((claim) => ({
                name: claim.metadata?.name ?? "",
                storage: claim.spec?.resources?.requests?.storage ?? "",
                storageClass: claim.spec?.storageClassName ?? "",
            })),
        },
    };
}

/** @returns what decisions need of a pod; `undefined` for one that belongs to no ordinal. */
export function observePod(pod: V1Pod): ObservedPod | undefined {
    const { metadata, status } = pod;
    const ordinal = ordinalOf(metadata?.name);
    if (ordinal === undefined) {
        return undefined;
    }
    const ready = status?.conditions?.find((condition) => condition.type === "Ready");
    return {
        name: metadata?.name ?? "",
        ordinal,
        uid: metadata?.uid ?? "",
        revision: metadata?.labels?.["controller-revision-hash"],
        ready: ready?.status === "True",
        readySince: ready?.status === "True" ? time(ready.lastTransitionTime) : undefined,
        createdAt: (time(metadata?.creationTimestamp) ?? 0) + TIMESTAMP_MILLISECONDS,
        terminating: metadata?.deletionTimestamp !== undefined,
        shutdownBegunAt: time(metadata?.annotations?.[SHUTDOWN_ANNOTATION]),
        trouble: podTrouble(pod),
    };
}

function podTrouble(pod: V1Pod): string | undefined {
    const scheduled = pod.status?.conditions?.find((condition) => condition.type === "PodScheduled");
    if (scheduled?.status === "False") {
        return `${scheduled.reason ?? "not scheduled"}: ${scheduled.message ?? "the scheduler gave no reason"}`;
    }
    const containers = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
    for (const container of containers) {
        const waiting = container.state?.waiting;
        if (waiting?.reason && !POD_STARTS.has(waiting.reason)) {
            const message = waiting.message ? `: ${waiting.message}` : "";
            return `container ${container.name} (${container.image}) is in ${waiting.reason}${message}`;
        }
    }
    return pod.status?.phase === "Failed" ? `the pod failed: ${pod.status.reason ?? "no reason given"}` : undefined;
}

/** @returns what decisions need of a claim; `undefined` for one that belongs to no ordinal. */
export function observeClaim(claim: V1PersistentVolumeClaim): ObservedClaim | undefined {
    const ordinal = ordinalOf(claim.metadata?.name);
    return ordinal === undefined
        ? undefined
        : {
              name: claim.metadata?.name ?? "",
              uid: claim.metadata?.uid ?? "",
              ordinal,
              released: claim.metadata?.annotations?.[RELEASED_CLAIM_ANNOTATION] !== undefined,
              terminating: claim.metadata?.deletionTimestamp !== undefined,
          };
}

function ordinalOf(name: string | undefined): number | undefined {
    const digits = /-(\d+)$/.exec(name ?? "")?.[1];
    return digits === undefined ? undefined : Number(digits);
}

function time(value: Date | string | undefined): number | undefined {
    return value === undefined ? undefined : new Date(value).getTime();
}
