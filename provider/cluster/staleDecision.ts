/**
 * A decision no longer holds, and nothing was done: the lock was not renewed in time, the pod has changed, or the
 * observation is stale. The caller observes again and decides again.
 */
export class StaleDecision extends Error {
    override readonly name = "StaleDecision";
    /** A retry may succeed once the cluster has been observed again. */
    readonly isTransient = true;
}
