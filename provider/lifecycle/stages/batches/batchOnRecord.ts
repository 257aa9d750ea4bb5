import type { BatchRecord } from "../../vocabulary/observation";
import type { PodView } from "../../vocabulary/stage";

/** The batch that is on record: stores that restart side by side. A run that is killed goes on with the same one. */

/** @returns the batch of the view's member; undefined if none is on record. */
export function batchOnRecord({
    observation: { records },
    target,
}: Pick<PodView, "observation" | "target">): BatchRecord | undefined {
    return records.batch?.component === target.component ? records.batch : undefined;
}

/** @returns whether the pod is one of the batch, with the same store. A store that PD does not list now may be it. */
export function isInBatch(view: PodView): boolean {
    const id = batchOnRecord(view)?.stores[view.podName];
    return id !== undefined && (view.store === undefined || view.store.id === id);
}

/**
 * @returns among how many stores PD shares its rate of moving leaders, and so by how much longer one of them takes: those of the pod's
 * batch. PD moves about as many leaders at a time from one store as from all of them.
 */
export function sharesRate(view: PodView): number {
    return isInBatch(view) ? Object.keys(batchOnRecord(view)?.stores ?? {}).length : 1;
}
