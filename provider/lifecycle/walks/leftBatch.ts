import type { Component } from "../../../topology/members";
import { forgetBatch } from "../stages/batches/batchOnRecord";
import type { Leftover } from "../vocabulary/leftover";
import type { LeftOpen } from "../vocabulary/memberLifecycle";
import type { BatchRecord, Observation } from "../vocabulary/observation";

/**
 * @returns the batch of pods that is on record. Its record lets pods be down side by side, and no more: without it, the next update
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
                  action: forgetBatch(batch),
              },
          ];
}

/** @returns the batch of the member that an earlier run left on record, for the plan. */
export function openBatch({ records: { batch } }: Observation, component: Component): LeftOpen[] {
    const pods = Object.keys(batch?.stores ?? {});
    return batch?.component !== component
        ? []
        : [
              {
                  pod: pods[0],
                  why: "an earlier run left a batch on record",
              },
          ];
}

/** @returns the batch, for people. */
export function batchInWords({ stores }: BatchRecord): string {
    const pods = Object.entries(stores).map(([pod, id]) => (id === null ? pod : `${pod} (store ${id})`));
    return `on record as restarting side by side: ${pods.join(", ")}`;
}
