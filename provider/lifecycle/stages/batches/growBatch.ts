import type { BatchRecord } from "../../vocabulary/observation";
import type { WithStore } from "../stores";

/**
 * Takes one store after the other into a batch, as long as nothing is lost without all of them.
 * @param pool the candidates. The first one is in the batch.
 * @param most how many may be in it.
 * @param whatIsLost what is lost while the stores with these ids are down; undefined if nothing is.
 * @returns the batch, and why the first one that is not in it is not; "" if all of them could be.
 */
export function growBatch(
    pool: readonly WithStore[],
    most: number,
    whatIsLost: (ids: readonly number[]) => string | undefined,
): { readonly batch: readonly WithStore[]; readonly refused: string } {
    const batch = pool.slice(0, 1);
    let refused = "";
    for (const one of pool.slice(1)) {
        const lost = whatIsLost([...batch, one].map(({ store }) => store.id));
        if (lost === undefined && batch.length < most) {
            batch.push(one);
        }
        refused ||= lost ?? "";
    }
    return { batch, refused };
}

/** @returns what is recorded of a batch. */
export function idsByPod(batch: readonly WithStore[]): BatchRecord["stores"] {
    return Object.fromEntries(batch.map(({ podName, store }) => [podName, store.id]));
}
