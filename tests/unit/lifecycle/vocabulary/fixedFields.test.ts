import * as assert from "node:assert/strict";
import { type FixedFields, refusedChange } from "../../../../provider/lifecycle/vocabulary/fixedFields";

const tikv = { name: "tikv", storage: "100Gi", storageClass: "fast" };
const live: FixedFields = { podManagementPolicy: "Parallel", serviceName: "basic-tikv-peer", claims: [tikv] };
const why =
    "as in the live StatefulSet: Kubernetes cannot change this field, and pulumi-tidb never deletes a StatefulSet to recreate it. This version of pulumi-tidb does not change the volumes of a member that exists. Next: put back what the live StatefulSet has. To change it all the same, where the member can do without its data (PD and TiKV cannot): take the member out of the program, run `pulumi up`, and put it in again with the new value";

/** The wanted fields, the refused field, and the beginning of the reason. */
const refused: [name: string, wanted: Partial<FixedFields>, field: string, reason: string][] = [
    [
        "the order of pods",
        { podManagementPolicy: "OrderedReady" },
        "podManagementPolicy",
        "found OrderedReady, expected Parallel",
    ],
    ["the headless Service", { serviceName: "other" }, "serviceName", "found other, expected basic-tikv-peer"],
    [
        "a volume more",
        { claims: [tikv, { ...tikv, name: "logs" }] },
        "storageVolumes",
        "found tikv, logs, expected tikv",
    ],
    ["no volume any more", { claims: [] }, "storageVolumes", "found none, expected tikv"],
    ["another volume", { claims: [{ ...tikv, name: "data" }] }, "storageVolumes", "found data, expected tikv"],
    [
        "another storage class",
        { claims: [{ ...tikv, storageClass: "slow" }] },
        "storageClassName",
        "found slow for volume tikv, expected fast",
    ],
    [
        "the default storage class",
        { claims: [{ ...tikv, storageClass: "" }] },
        "storageClassName",
        "found the default class for volume tikv, expected fast",
    ],
    [
        "another size",
        { claims: [{ ...tikv, storage: "200Gi" }] },
        "requests.storage",
        "found 200Gi for volume tikv, expected 100Gi",
    ],
];

describe("what Kubernetes cannot change of a StatefulSet is refused before the update begins", () => {
    for (const [name, wanted, field, reason] of refused) {
        it(`${name}: ${reason}`, () =>
            assert.deepEqual(refusedChange(live, { ...live, ...wanted }), { field, reason: `${reason}, ${why}` }));
    }
    it("a first volume where there was none", () => {
        const found = refusedChange({ ...live, claims: [] }, live);
        assert.deepEqual(found, { field: "storageVolumes", reason: `found tikv, expected none, ${why}` });
    });
    it("the second of two volumes", () => {
        const logs = { ...tikv, name: "logs" };
        const two = { ...live, claims: [tikv, logs] };
        const found = refusedChange(two, { ...two, claims: [tikv, { ...logs, storage: "1Gi" }] });
        assert.deepEqual(found, {
            field: "requests.storage",
            reason: `found 1Gi for volume logs, expected 100Gi, ${why}`,
        });
    });
    it("nothing is refused if nothing changed", () => assert.equal(refusedChange(live, { ...live }), undefined));
});
