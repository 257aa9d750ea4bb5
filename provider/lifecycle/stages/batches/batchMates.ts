import type { PodView } from "../../vocabulary/stage";
import { isStale } from "../sharedStages";
import { batchOnRecord, isInBatch } from "./batchOnRecord";
import { proveBatch, type ProofFinding } from "./batchProof";

/** @returns whether the batch on record is still proven; undefined if none is, or if the program no longer asks for batches. */
export function batchProofNow({
    observation,
    target,
}: Pick<PodView, "observation" | "target">): ProofFinding | undefined {
    const batch = batchOnRecord({ observation, target });
    const { parallelism = 1 } = target.policy;
    if (batch === undefined || parallelism === 1) {
        return undefined;
    }
    if (observation.stopRequest !== undefined) {
        return { why: "this run is asked to stop" };
    }
    const ids = Object.values(batch.stores);
    return parallelism !== "zone" && ids.length > parallelism
        ? {
              why: `the batch on record has ${ids.length} stores, and operations.rollout.parallelism is ${parallelism} now`,
          }
        : proveBatch(observation, ids);
}

/**
 * @returns the ids of the stores that may be down while the pod restarts: the others of its batch, as long as the batch is proven. None
 * if it is not: then the pod restarts alone.
 */
export function batchMates(view: PodView): readonly number[] {
    if (!isInBatch(view) || !isStale(view)) {
        return [];
    }
    const found = batchProofNow(view);
    const ids = Object.values(batchOnRecord(view)?.stores ?? {});
    return found !== undefined && "proof" in found ? ids.filter((id) => id !== view.store?.id) : [];
}
