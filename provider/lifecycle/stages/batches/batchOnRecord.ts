import type { Action } from "../../vocabulary/actions";
import type { BatchRecord } from "../../vocabulary/observation";
import type { PodView } from "../../vocabulary/stage";

/** The batch that is on record: pods that restart side by side. A run that is killed goes on with the same one. */

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
    return id !== undefined && (id === null || view.store === undefined || view.store.id === id);
}

/** @returns the action that deletes the record of the batch. */
export function forgetBatch({ component, stores }: BatchRecord): Extract<Action, { do: "forget-batch" }> {
    return { do: "forget-batch", component, pods: Object.keys(stores) };
}

/** @returns the ids of the stores of these pods. */
export function idsOf(stores: BatchRecord["stores"]): number[] {
    return Object.values(stores).filter((id) => id !== null);
}

/**
 * @returns among how many stores PD shares its rate of moving leaders, and so by how much longer one of them takes: those of the pod's
 * batch. PD moves about as many leaders at a time from one store as from all of them.
 */
export function sharesRate(view: PodView): number {
    return isInBatch(view) ? Object.keys(batchOnRecord(view)?.stores ?? {}).length : 1;
}
