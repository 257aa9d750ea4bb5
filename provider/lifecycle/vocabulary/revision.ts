import type { ObservedPod, ObservedStatefulSet } from "./observation";

/** The revision of a StatefulSet's template, and which one a pod runs (Kubernetes' label `controller-revision-hash`). */

/** @returns whether the pod has another revision than the newest one that the StatefulSet shows, which may lag behind its template. */
export function hasOtherRevision(
    { revision }: Pick<ObservedPod, "revision">,
    statefulSet: Pick<ObservedStatefulSet, "updateRevision"> | undefined,
): boolean {
    return statefulSet?.updateRevision !== undefined && revision !== statefulSet.updateRevision;
}

/** @returns whether the pod runs the newest template; undefined until the controller has seen that template. */
export function runsNewest(
    pod: Pick<ObservedPod, "revision">,
    statefulSet: Pick<ObservedStatefulSet, "updateRevision" | "settled"> | undefined,
): boolean | undefined {
    return statefulSet?.settled && statefulSet.updateRevision !== undefined && pod.revision !== undefined
        ? !hasOtherRevision(pod, statefulSet)
        : undefined;
}
