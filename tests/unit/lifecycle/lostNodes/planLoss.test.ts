import * as assert from "node:assert/strict";
import { planLoss } from "../../../../provider/lifecycle/lostNodes/planLoss";
import { describeStep } from "../../../../provider/lifecycle/walks/describePlan";
import type { Component } from "../../../../topology/members";
import { downFor, minutes } from "../../../support/lifecycle/deaths";
import {
    claimAt,
    lostPd,
    lostTarget,
    lostTiflash,
    lostTikv,
    onGoneNode,
    recordedLoss,
    seenLoss,
} from "../../../support/lifecycle/lostVolumes";
import { pinnedWords } from "../../../support/pinned";
import { type Deviation, storeOf } from "../../../support/lifecycle/observations";
import { codesOf } from "../../../support/repeats";

const planned = (component: Component, row: Deviation) => planLoss(seenLoss(component, row), lostTarget);
const said = (component: Component, row: Deviation) => {
    const plan = planned(component, row);
    assert.ok("remarks" in plan);
    return { ...plan, remarks: codesOf(plan.remarks), warnings: codesOf(plan.warnings) };
};
const words = (component: Component, row: Deviation) => () => {
    const { steps, remarks, warnings } = said(component, row);
    assert.deepEqual(warnings, []);
    return [...remarks, ...steps.map(describeStep)].join("\n");
};
const second = claimAt("tikv", 1, { ...onGoneNode, volume: "pv-2" }, { name: "wal-basic-tikv-1", uid: "wal" });
const leaving = { 1: { ...downFor(minutes), state: "Offline" } };
const tombstones = [storeOf(1, { ...downFor(minutes), state: "Tombstone" })];

describe("the plan of what is given up with a node", () => {
    pinnedWords("lost-volumes", {
        "a store": words("tikv", lostTikv),
        "a store that is Tombstone": words("tikv", { ...lostTikv, stores: { 1: undefined }, tombstones }),
        "a TiFlash store": words("tiflash", lostTiflash),
        "a member of PD": words("pd", lostPd),
        "several volumes": words("tikv", { ...lostTikv, claims: [...(lostTikv.claims ?? []), second] }),
        "a plan that was begun": words("tikv", {
            ...{ ...lostTikv, stores: leaving, claims: [], records: recordedLoss("tikv") },
        }),
    });
    it("deletes the record of what was not begun in PD and may not be now: a later plan needs another consent", () => {
        const back = { ...lostTikv, stores: {}, records: recordedLoss("tikv") };
        const forgotten = { steps: [], forgets: ["basic-tikv-1"], warnings: [], remarks: [] };
        assert.deepEqual(said("tikv", back), { ...forgotten, warnings: ["volumes-not-given-up"] });
        const ready = { ...back, pods: { 1: { ready: true } } };
        assert.deepEqual(said("tikv", ready), { ...forgotten, remarks: ["volumes-not-given-up"] });
        const anew = { ...ready, stores: { 1: { id: 19 } }, tombstones };
        assert.deepEqual(planned("tikv", anew), planned("tikv", ready), "another store runs on its volume");
    });
    it("does not exist while something is not known, or before the regions are read", () => {
        const silent = planned("tikv", { ...lostTikv, pdSilent: true });
        assert.deepEqual(silent, { steps: [], unknown: "PD answers 500", pods: ["basic-tikv-1"] });
        const unread = claimAt("tikv", 1, "could not read volume pv-1: 403");
        const unknown = { steps: [], unknown: "could not read volume pv-1: 403", pods: [] };
        assert.deepEqual(planned("tikv", { ...lostTikv, claims: [unread] }), unknown);
        assert.deepEqual(planned("tikv", { ...lostTikv, regionsOf: undefined }), {
            steps: [],
            look: { regions: { ofStores: [11] } },
        });
    });
});
