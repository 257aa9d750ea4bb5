import { answerTo, type Asking } from "../lifecycle/dryRun/asking";
import { drainedPods, findMoves, type FoundMoves } from "../lifecycle/drain/planMoves";
import type { DrainMode } from "../lifecycle/vocabulary/drain";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";

/** The pods of a member on nodes that are being emptied, and whether there are any. */
export interface PlannedDrain extends FoundMoves {
    readonly isDrained: boolean;
}

/** @returns the options, with what tells whether pods are on nodes that are being emptied. */
export function withDrains(look: LookOptions, mode: DrainMode | undefined): LookOptions {
    return mode === "off" ? look : { ...look, drains: true };
}

/**
 * Finds the pods that leave nodes which are being emptied. Without such a node it costs no call.
 * @param first what Kubernetes shows of the member, looked at with `withDrains`.
 * @param look what it was looked at with.
 */
export function* planDrain(first: Observation, target: MemberTarget, look: LookOptions): Asking<PlannedDrain> {
    const rooms = drainedPods(first, target).map(({ podName }) => podName);
    return rooms.length === 0
        ? { moves: {}, remarks: [], isDrained: false }
        : { ...findMoves(yield* answerTo({ all: { ...look, rooms } }), target), isDrained: true };
}
