import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { claimOf, type Deviation } from "../../support/lifecycle/observations";
import { clusterWorld, told as clusterTold } from "./clusterWorld";

const gib = 1024 ** 3;
const templates = (storageClass: string, storage: string) => [{ name: "tikv", storage, storageClass }];
const told = (storageClass: string, storage = "10Gi", policy: object = {}) =>
    clusterTold({
        gate: "scale",
        component: "tikv",
        desiredReplicas: 3,
        policy: { ...defaultPolicy, ...policy },
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: templates(storageClass, storage) },
    });
const scale = (storage = "10Gi", more: Deviation = {}) => {
    const seen = clusterWorld({
        live: {
            tikv: {
                live: 3,
                claimTemplates: templates("fast", storage),
                claims: [0, 1, 2].map((ordinal) =>
                    claimOf("tikv", ordinal, {
                        uid: `claim-${ordinal}`,
                        state: {
                            ...{ phase: "Bound", hasSource: false, storageClass: "fast" },
                            ...{ requested: storage, capacity: storage },
                        },
                    }),
                ),
                ...more,
            },
        },
    });
    return createGate(scaleGateDefinition, seen);
};

describe("volumes that the program wants of another class, or smaller", () => {
    it("are steps of the preview: the StatefulSet, a spare, and pod by pod", async () => {
        const { inputs, failures } = await scale().check({}, told("cheap"));
        assert.equal(failures, undefined);
        assert.deepEqual(inputs.plan, [
            "recreate StatefulSet basic-tikv (new pods get 10Gi of cheap for tikv): delete it without its pods, create it with the new claim templates, scale StatefulSet basic-tikv from 3 to 4 (~40 s)",
            "replace the volumes of basic-tikv-2 (fast to cheap): remove store 12, move its 1500 regions, mark its volumes as released, delete its claims, so it starts empty, delete pod; until it serves again (~7 min)",
            "replace the volumes of basic-tikv-1 (fast to cheap): remove store 11, move its 2000 regions, mark its volumes as released, delete its claims, so it starts empty, delete pod; until it serves again (~9 min)",
            "replace the volumes of basic-tikv-0 (fast to cheap): remove store 10, move its 2666 regions, mark its volumes as released, delete its claims, so it starts empty, delete pod; until it serves again (~12 min)",
            "remove basic-tikv-3 (a spare while volumes are replaced): remove store 13, move its 2055 regions, mark its volumes as released (~9 min)",
        ]);
    });

    it("are refused in the preview where a store's data does not fit", async () => {
        const stores = { 1: { usedBytes: 9 * gib } };
        const { failures } = await scale("20Gi", { stores }).check({}, told("fast", "10Gi"));
        assert.deepEqual(failures, [
            {
                property: "",
                reason: "spec.tikv.requests.storage: found 10Gi, expected more: the store of basic-tikv-1 has 9.0 GiB, and PD moves no region to a store that is 80% full",
            },
        ]);
    });

    it("are not refused for a disk that is as full now", async () => {
        const stores = { 1: { usedBytes: 19 * gib } };
        const { failures } = await scale("20Gi", { stores }).check({}, told("cheap", "20Gi"));
        assert.equal(failures, undefined);
    });

    it("are refused where too few stores would be left without a spare", async () => {
        const { failures } = await scale("10Gi", { maxReplicas: 3 }).check(
            {},
            told("cheap", "10Gi", { spareReplicas: 0 }),
        );
        assert.deepEqual(failures, [
            {
                property: "",
                reason: "spec.tikv: enough-stores-stay: basic-tikv-2: 2 Up TiKV stores would be left, but PD keeps 3 replicas of each region (replication.max-replicas). Next: keep more TiKV replicas, or lower PD's replication.max-replicas first.",
            },
        ]);
    });
});
