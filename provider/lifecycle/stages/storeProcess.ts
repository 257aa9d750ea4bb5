import type { ObservedPod, ObservedStore } from "../vocabulary/observation";

/** PD writes whole seconds, and so does Kubernetes. */
const roundingMilliseconds = 2_000;

/**
 * @returns whether what PD knows of the store is from the process that runs in the pod now. Both times are by the clock of
 * the pod's own node; where one is not known, it is not.
 */
export function isOfRunningProcess({ startedAt }: ObservedStore, { container }: ObservedPod): boolean {
    return (
        startedAt !== undefined &&
        container.known &&
        container.value.is === "running" &&
        startedAt + roundingMilliseconds >= container.value.startedAt
    );
}
