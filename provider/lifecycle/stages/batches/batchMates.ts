import type { PodView } from "../../vocabulary/stage";
import { askedSideBySide, sideBySide } from "../../vocabulary/target";
import { isStale } from "../sharedStages";
import { isUp } from "../stores";
import { batchOnRecord, idsOf, isInBatch } from "./batchOnRecord";
import type { ProofFinding } from "./memberBatch";
import { memberBatches } from "./memberBatches";
import { type MustRestart, mustTryOne } from "./mustTryOne";
import { startsInOrder } from "./startsInOrder";

/**
 * @param mustRestart whether a pod has to restart. Default: it is not on the new revision.
 * @returns whether the batch on record is still proven; undefined if none is, or if the program no longer asks for batches.
 */
export function batchProofNow(
    { observation, target }: Pick<PodView, "observation" | "target">,
    mustRestart?: MustRestart,
): ProofFinding | undefined {
    const batch = batchOnRecord({ observation, target });
    const most = sideBySide(target);
    if (batch === undefined || most === 1) {
        return undefined;
    }
    if (observation.stopRequest !== undefined) {
        return { why: "this run is asked to stop" };
    }
    if (mustTryOne({ observation, target }, mustRestart)) {
        return { why: "no pod has started with the new template yet" };
    }
    const inOrder = startsInOrder({ observation, target });
    if (inOrder !== undefined) {
        return inOrder;
    }
    const { length } = Object.keys(batch.stores);
    return most !== "zone" && length > most
        ? { why: `the batch on record has ${length} pods, and ${askedSideBySide(target)} now` }
        : memberBatches[target.component]?.prove(observation, target, batch.stores);
}

/**
 * Without a proof, stores of a batch that run and are not Up would wait for each other for ever, whatever template could mend them. The
 * restart of one that is not Up itself takes nothing more down beside them. Whether its regions keep their majority is judged apart.
 * @returns the ids of the others of the pod's batch that are not Up.
 */
export function downMates(view: PodView): readonly number[] {
    const ids = isInBatch(view) && view.store !== undefined ? idsOf(batchOnRecord(view)?.stores ?? {}) : [];
    const { stores } = view.pd;
    return stores.known
        ? stores.value.filter((store) => ids.includes(store.id) && !isUp(store)).map(({ id }) => id)
        : [];
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
    const ids = idsOf(batchOnRecord(view)?.stores ?? {});
    return found !== undefined && "proof" in found ? ids.filter((id) => id !== view.store?.id) : [];
}
