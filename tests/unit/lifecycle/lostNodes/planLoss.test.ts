import * as assert from "node:assert/strict";
import { dryRun } from "../../../../provider/lifecycle/dryRun/dryRun";
import { nextLossMove } from "../../../../provider/lifecycle/lostNodes/nextLossMove";
import { planLoss } from "../../../../provider/lifecycle/lostNodes/planLoss";
import { describeStep } from "../../../../provider/lifecycle/walks/describePlan";
import type { Component } from "../../../../topology/members";
import { plannedLoss } from "../../../support/lifecycle/planned";
import { downFor, goneNode, minutes } from "../../../support/lifecycle/deaths";
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
    return {
        ...plan,
        remarks: codesOf(plan.remarks),
        warnings: codesOf(plan.warnings),
        steps: plannedLoss(seenLoss(component, row), lostTarget),
    };
};
const waits = {
    kind: "wait",
    component: "tikv",
    target: "basic-tikv-1",
    why: "not all is known of what is lost with node node-1",
    isOpenEnded: true,
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
        const forgetting = ["clean-up basic-tikv-1"];
        const back = { ...lostTikv, stores: {}, records: recordedLoss("tikv") };
        const notGivenUp = (row: Deviation) => {
            const { steps, remarks, warnings } = said("tikv", row);
            return { steps: steps.map(({ kind, target }) => `${kind} ${target}`), remarks, warnings };
        };
        assert.deepEqual(notGivenUp(back), { steps: forgetting, remarks: [], warnings: ["volumes-not-given-up"] });
        const ready = { ...back, pods: { 1: { ready: true } } };
        assert.deepEqual(notGivenUp(ready), { steps: forgetting, remarks: ["volumes-not-given-up"], warnings: [] });
        const anew = { ...ready, stores: { 1: { id: 19 } }, tombstones };
        assert.deepEqual(planned("tikv", anew), planned("tikv", ready), "another store runs on its volume");
    });
    it("waits for what is not known of a pod that is not begun", () => {
        assert.deepEqual(plannedLoss(seenLoss("tikv", { ...lostTikv, unknown: ["stores"] }), lostTarget), [
            { ...waits, does: [], estimateSeconds: 0 },
        ]);
    });
    it("does not foresee that the claims of a pod stay whose node is gone: Kubernetes deletes it", () => {
        const stuck = { ...lostTikv, pods: { 1: { ...goneNode(), node: "node-1" } } };
        const run = dryRun((seen, memory) => nextLossMove(seen, lostTarget, memory), seenLoss("tikv", stuck)).next();
        assert.ok(run.done);
        assert.equal(run.value.end.is, "done");
    });
    it("does not exist while something is not known, or before the regions are read", () => {
        const silent = planned("tikv", { ...lostTikv, pdSilent: true });
        assert.ok("unknown" in silent);
        assert.deepEqual([silent.unknown, silent.steps], ["PD answers 500", [waits]]);
        const unread = claimAt("tikv", 1, "could not read volume pv-1: 403");
        const unknown = { steps: [], unknown: "could not read volume pv-1: 403" };
        assert.deepEqual(planned("tikv", { ...lostTikv, claims: [unread] }), unknown);
        assert.deepEqual(planned("tikv", { ...lostTikv, regionsOf: undefined }), {
            steps: [],
            look: { regions: { ofStores: [11] } },
        });
    });
});
