import type { Leftover } from "../vocabulary/leftover";
import type { BatchRecord, Observation } from "../vocabulary/observation";

/**
 * @returns the batch of stores that is on record. Its record lets stores be down side by side, and no more: without it, the next update
 * restarts those that are left one by one, and waits for those that are down.
 */
export function leftBatch({ records: { batch } }: Observation): Leftover[] {
    return batch === undefined
        ? []
        : [
              {
                  kind: "batch",
                  target: `batch of ${Object.keys(batch.stores).join(", ")}`,
                  seen: batchInWords(batch),
                  by: `a run of pulumi-tidb, which began it at ${new Date(batch.begunAt).toISOString()}`,
                  isOurs: true,
                  verdict: "remove",
                  why: "its record is deleted: the next update restarts what is left, in a batch that is proven then, or one by one",
                  action: { do: "forget-batch", component: batch.component, pods: Object.keys(batch.stores) },
              },
          ];
}

/** @returns the batch, for people. */
export function batchInWords({ stores }: BatchRecord): string {
    const pods = Object.entries(stores).map(([pod, id]) => `${pod} (store ${id})`);
    return `on record as restarting side by side: ${pods.join(", ")}`;
}
