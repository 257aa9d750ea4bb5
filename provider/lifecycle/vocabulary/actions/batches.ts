import type { Component } from "../../../../topology/members";
import type { BatchRecord } from "../operationRecords";
import { type KindsOf, podObject, record } from "./actionKind";

/** Records of pods that restart side by side, with the ids of their stores. */
export type BatchAction =
    | { do: "begin-batch"; component: Component; stores: BatchRecord["stores"] }
    | { do: "forget-batch"; component: Component; pods: readonly string[] };

export const batchActions: KindsOf<BatchAction> = {
    "begin-batch": {
        ...record({
            describe: ({ stores }) => `begin a batch: restart ${Object.keys(stores).join(", ")} side by side`,
            on: ({ stores }) => Object.keys(stores).join(" "),
            objects: ({ stores }) => Object.keys(stores).map(podObject),
            isTold: true,
            after: (records) => records,
        }),
        before: (records, { component, stores }, now) => ({ ...records, batch: { component, stores, begunAt: now } }),
    },
    "forget-batch": record({
        describe: ({ pods }) => `delete the record of the batch of ${pods.join(", ")}`,
        on: ({ pods }) => pods.join(" "),
        objects: () => [],
        after: ({ batch: _, ...records }) => records,
    }),
};
