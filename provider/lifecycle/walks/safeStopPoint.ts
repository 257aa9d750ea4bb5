import { podAvailable, podCreated, podStopped } from "../stages/sharedStages";
import { isServing } from "../stages/stores";
import type { Move, WaitMove } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { openEvictions } from "./openEvictions";

/**
 * @param move what the run would do next.
 * @returns whether a run may stop now. It must not stop between a store's restart and the end of its eviction, nor while it waits for
 * a pod of a batch that is down, nor between a StatefulSet's deletion and its creation. That wait has an end of its own.
 */
export function isSafePoint(observation: Observation, move: Move): boolean {
    const keepsEviction = observation.pd.stores.known && openEvictions(observation).toKeep.length > 0;
    const isRemade = Object.keys(observation.records.remakes ?? {}).length > 0;
    return !keepsEviction && !isRemade && !waitsForBatch(observation, move);
}

function waitsForBatch({ records: { batch }, members }: Observation, move: Move): boolean {
    const names = Object.keys(batch?.stores ?? {});
    if (move.kind === "look") {
        // What is waited for is decided after it.
        const pods = batch && members[batch.component]?.pods;
        return pods !== undefined && names.some((name) => !isServing(pods.find((pod) => pod.name === name)));
    }
    return move.kind === "wait" && [move, ...(move.beside ?? [])].some((one) => isForPod(one, names));
}

function isForPod({ step, target }: WaitMove, names: readonly string[]): boolean {
    return names.includes(target) && [podCreated, podStopped, podAvailable].some(({ name }) => name === step);
}
