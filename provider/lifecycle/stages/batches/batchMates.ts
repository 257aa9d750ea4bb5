import type { PodView } from "../../vocabulary/stage";
import { isStale } from "../sharedStages";
import { batchOnRecord, isInBatch } from "./batchOnRecord";
import { proveBatch, type ProofFinding } from "./batchProof";

/** @returns whether the batch on record is still proven; undefined if none is, or if the program no longer asks for batches. */
export function batchProofNow(view: Pick<PodView, "observation" | "target">): ProofFinding | undefined {
    const batch = batchOnRecord(view);
    const { parallelism = 1 } = view.target.policy;
    return batch === undefined || parallelism === 1
        ? undefined
        : proveBatch(view.observation, Object.values(batch.stores));
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
