import * as assert from "node:assert/strict";
import { emptyMemory } from "../../../../../provider/lifecycle/vocabulary/memory";
import { refusedForVolumes } from "../../../../../provider/lifecycle/walks/keptVolumes";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import type { ObservedMember } from "../../../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../../../topology/members";
import { claimOf, type Deviation, inShort, observed, storeOf } from "../../../../support/lifecycle/observations";
import { repeats } from "../../../../support/repeats";
import { plannedScale } from "../../../../support/lifecycle/planned";

function changed(component: Component, row: Deviation, change: Partial<ObservedMember>) {
    const { observation, target } = observed(component, row);
    const member = { ...observation.members[component]!, statefulSet: undefined, ...change };
    return { observation: { ...observation, members: { [component]: member } }, target };
}
/** Somebody has deleted the StatefulSet with --cascade=orphan: its pods run on. */
const orphaned = (component: Component, row: Deviation) => changed(component, row, {});
const suspended = (component: Component, row: Deviation) => changed(component, row, { pods: [] });
/** Marked by the scale-in that has removed store 13. */
const released = { released: true, releasedId: "13" };
const four = [0, 1, 2, 3].map((ordinal) => claimOf("tikv", ordinal, ordinal === 3 ? released : {}));
const fixed = {
    podManagementPolicy: "Parallel",
    serviceName: "",
    claims: [{ name: "tikv", storage: "1Gi", storageClass: "" }],
};

describe("without a StatefulSet, a claim that a scale-in has released", () => {
    it("stays under a pod whose store is Up, and is marked as kept", () => {
        const { observation, target } = orphaned("tikv", { claims: four });
        const refusal = refusedForVolumes(observation, { ...target, replicas: 3 }, fixed);
        repeats(refusal?.reason, "found 3", "4 replicas");
        const move = nextScaleMove(observation, { ...target, replicas: 4 }, emptyMemory);
        assert.equal(inShort(move), "keep-claims tikv-basic-tikv-3");
    });

    it("goes, and the pod with it, once PD has made the store Tombstone", () => {
        const done = { stores: { 3: undefined }, tombstones: [storeOf(3, { state: "Tombstone" })] };
        const moveWith = (terminating: boolean) => {
            const claims = [...four.slice(0, 3), claimOf("tikv", 3, { ...released, terminating })];
            const { observation, target } = orphaned("tikv", { ...done, claims });
            return inShort(nextScaleMove(observation, target, emptyMemory));
        };
        assert.deepEqual(
            [moveWith(false), moveWith(true)],
            ["delete-claims tikv-basic-tikv-3", "restart basic-tikv-3"],
        );
    });

    it("is removed from PD first if the pod leaves", () => {
        const { observation, target } = orphaned("tikv", { claims: four });
        const fewer = { ...target, replicas: 3 };
        assert.equal(inShort(nextScaleMove(observation, fewer, emptyMemory)), "remove-store 13");
        assert.equal(plannedScale(observation, fewer)[0].why, "4 to 3 replicas");
    });

    it("is emptied of a suspended store that comes back, once PD has no store of the pod", () => {
        const moveWith = (row: Deviation) => {
            const { observation, target } = suspended("tikv", { claims: four, ...row });
            return inShort(nextScaleMove(observation, target, emptyMemory));
        };
        assert.deepEqual([{ stores: { 3: undefined } }, {}, { pdSilent: true }].map(moveWith), [
            "delete-claims tikv-basic-tikv-3",
            "wait released-claims-deleted basic-tikv-3",
            "wait pd-answers basic-pd",
        ]);
    });

    it("is kept of a suspended pump, because its mark alone does not show that the scale-in has ended", () => {
        const claims = [claimOf("pump", 0), claimOf("pump", 1, { released: true })];
        const { observation, target } = suspended("pump", { claims, pumps: { 1: "paused" } });
        assert.equal(inShort(nextScaleMove(observation, target, emptyMemory)), "keep-claims pump-basic-pump-1");
        const [step] = plannedScale(observation, target);
        assert.deepEqual(
            [step.kind, step.target, step.why, step.does],
            [
                "take-back",
                "basic-pump-1",
                "without a StatefulSet, nothing shows that a scale-in has ended",
                ["mark its volumes as kept"],
            ],
        );
        const none = plannedScale(observation, { ...target, replicas: 0 });
        assert.deepEqual(none, []);
    });
});
