import type { ObservedPod, ObservedStore } from "../vocabulary/observation";
import { ranSince } from "../vocabulary/observedMember";

/** PD and Kubernetes both report whole seconds. */
const roundingMilliseconds = 2_000;

/**
 * @returns whether PD's data about the store comes from the process that runs in the pod now. Both start times use the
 * clock of the pod's node. False if either is not known.
 */
export function isOfRunningProcess({ startedAt }: ObservedStore, { container }: ObservedPod): boolean {
    const since = ranSince(container);
    return startedAt !== undefined && since !== undefined && startedAt + roundingMilliseconds >= since;
}
