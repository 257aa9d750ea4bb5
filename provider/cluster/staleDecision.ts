/**
 * What was decided does not hold any more, and nothing was done: the lock was not renewed in time, the pod has changed,
 * the look is too old. Whoever decided looks again, and decides anew.
 */
export class StaleDecision extends Error {
    override readonly name = "StaleDecision";
    /** Whether the same may succeed once the cluster was looked at again. */
    readonly isTransient = true;
}
