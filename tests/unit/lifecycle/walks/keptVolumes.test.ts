import * as assert from "node:assert/strict";
import { refusedForVolumes } from "../../../../provider/lifecycle/walks/keptVolumes";
import { noRecords, type ObservedClaim } from "../../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../../topology/members";
import { failed } from "../../../support/lifecycle/deaths";
import { claimOf, observed } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

function refused(
    component: Component,
    claims: ObservedClaim[],
    replicas: number,
    volumes = [component as string],
    records = noRecords(),
) {
    const { observation, target } = observed(component, { claims, records });
    const member = { ...observation.members[component]!, statefulSet: undefined, pods: [] };
    const templates = volumes.map((name) => ({ name, storage: "1Gi", storageClass: "" }));
    return refusedForVolumes(
        { ...observation, members: { [component]: member } },
        { ...target, replicas },
        { podManagementPolicy: "Parallel", serviceName: "", claims: templates },
    );
}
const four = (component: Component, more: Partial<ObservedClaim> = {}) =>
    [0, 1, 2, 3].map((ordinal) => claimOf(component, ordinal, ordinal === 3 ? more : {}));

describe("a recreated StatefulSet finds its earlier volumes", () => {
    for (const component of ["pd", "tikv", "tiflash"] as const) {
        it(`${component}: the same number of replicas, or more, is accepted`, () => {
            assert.equal(refused(component, four(component), 4), undefined);
            assert.equal(refused(component, four(component), 5), undefined);
            assert.equal(refused(component, [], 3), undefined);
        });

        it(`${component}: fewer are refused, because a store or a PD member would be left behind`, () => {
            const refusal = refused(component, four(component), 3);
            assert.equal(refusal?.field, "replicas");
            repeats(refusal.reason, "found 3, expected 4", `${component}-basic-${component}-3`);
        });

        it(`${component}: volumes that were released or are being deleted do not count`, () => {
            assert.equal(refused(component, four(component, { released: true }), 3), undefined);
            assert.equal(refused(component, four(component, { terminating: true }), 3), undefined);
        });

        it(`${component}: different volumes are refused: the pods would start empty`, () => {
            const refusal = refused(component, four(component), 4, ["fast"]);
            assert.equal(refusal?.field, component === "tiflash" ? "storageClaims" : "storageVolumes");
            repeats(refusal.reason, "found fast", `${component}-basic-${component}-3`);
            assert.equal(refused(component, four(component), 4, [component, "log"]), undefined);
        });
    }

    it("accepts a member whose volumes hold nothing that PD knows", () => {
        assert.equal(refused("tidb", four("tidb"), 1), undefined);
    });

    it("accepts any change while there is a StatefulSet: the gate scales it in", () => {
        const { observation, target } = observed("tikv", { claims: four("tikv"), live: 4, replicas: 3 });
        assert.equal(
            refusedForVolumes(observation, target, { podManagementPolicy: "", serviceName: "", claims: [] }),
            undefined,
        );
    });

    it("counts a replacement of a dead store, which the program does not ask for: it comes back with the rest", () => {
        const records = { ...noRecords(), failovers: failed("tikv", 1) };
        assert.equal(refused("tikv", four("tikv"), 3, ["tikv"], records), undefined);
        const more = [...four("tikv"), claimOf("tikv", 4)];
        repeats(refused("tikv", more, 3, ["tikv"], records)?.reason, "found 3, expected 4", "tikv-basic-tikv-4");
    });

    it("names all volumes that would be left, and the replicas that have them all", () => {
        const more = [claimOf("tikv", 5), claimOf("tikv", 4)];
        const refusal = refused("tikv", [...four("tikv"), ...more], 4);
        assert.deepEqual(refusal, {
            field: "replicas",
            reason: "found 4, expected 6: there is no StatefulSet, and tikv-basic-tikv-5, tikv-basic-tikv-4 of an earlier one may hold data that PD relies on. Deploy 6 replicas and scale in afterwards; or delete those claims if their data is no longer needed",
        });
    });

    it("names all volumes that no pod would use", () => {
        const claims = [claimOf("tikv", 0), claimOf("tikv", 1)];
        const unused = (found: string) => ({
            field: "storageVolumes",
            reason: `found ${found}, but tikv-basic-tikv-0, tikv-basic-tikv-1 of an earlier StatefulSet may hold data that PD relies on, and no pod would use it. Restore the volume names; or delete those claims if their data is no longer needed`,
        });
        assert.deepEqual(refused("tikv", claims, 2, ["fast", "slow"]), unused("fast, slow"));
        assert.deepEqual(refused("tikv", claims, 2, []), unused("none"));
    });

    it("accepts a member of which Kubernetes has nothing", () => {
        const { observation, target } = observed("tikv", {});
        const wanted = { podManagementPolicy: "", serviceName: "", claims: [] };
        assert.equal(refusedForVolumes({ ...observation, members: {} }, target, wanted), undefined);
    });
});
