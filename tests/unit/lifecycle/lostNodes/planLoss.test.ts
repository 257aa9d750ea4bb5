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
import { type Deviation, storeOf } from "../../../support/lifecycle/observations";

const planned = (component: Component, row: Deviation) => planLoss(seenLoss(component, row), lostTarget);
const steps = (component: Component, row: Deviation, remarks: string[] = []) => {
    const plan = planned(component, row);
    assert.ok("remarks" in plan);
    assert.deepEqual([plan.remarks, plan.warnings], [remarks, []]);
    return plannedLoss(seenLoss(component, row), lostTarget).map(describeStep);
};
const waits = {
    kind: "wait",
    component: "tikv",
    target: "basic-tikv-1",
    why: "not all is known of what is lost with node node-1",
    isOpenEnded: true,
};
const tombstones = [storeOf(1, { ...downFor(minutes), state: "Tombstone" })];

describe("the plan of what is given up with a node", () => {
    it("says what is lost, and in which order it goes: a store", () => {
        assert.deepEqual(steps("tikv", lostTikv), [
            "give up the volumes of basic-tikv-1 (pv-1 is on node node-1, which is gone): remove store 11, move its 1500 regions, delete its claims, so it starts empty, delete pod; until it may start empty on another node (~7 min); risk: all that is on pv-1 is lost: the replicas of store 11; every region keeps a majority on other stores",
        ]);
    });
    it("a store that is Tombstone", () => {
        assert.deepEqual(steps("tikv", { ...lostTikv, stores: { 1: undefined }, tombstones }), [
            "give up the volumes of basic-tikv-1 (pv-1 is on node node-1, which is gone): delete its claims, so it starts empty, delete pod; until it may start empty on another node (~30 s); risk: all that is on pv-1 is lost, which PD has dropped already",
        ]);
    });
    it("a TiFlash store", () => {
        assert.deepEqual(steps("tiflash", lostTiflash), [
            "give up the volumes of basic-tiflash-1 (pv-1 is on node node-1, which is gone): remove store 21, move its 1500 regions, delete its claims, so it starts empty, delete pod; until it may start empty on another node (~7 min); risk: all that is on pv-1 is lost: the replicas of store 21; TiFlash copies its tables again from TiKV",
        ]);
    });
    it("a member of PD", () => {
        assert.deepEqual(steps("pd", lostPd), [
            "give up the volumes of basic-pd-1 (pv-1 is on node node-1, which is gone): remove the member from PD, delete its claims, so it starts empty, delete pod; until it may start empty on another node (~30 s); risk: all that is on pv-1 is lost: that of PD member 101; the other members have all of it",
        ]);
    });
    it("several volumes, and a plan that was begun", () => {
        const second = claimAt("tikv", 1, { ...onGoneNode, volume: "pv-2" }, { name: "wal-basic-tikv-1", uid: "wal" });
        const claims = [...(lostTikv.claims ?? []), second];
        assert.match(
            steps("tikv", { ...lostTikv, claims })[0],
            /\(pv-1, pv-2 are on node .*all that is on pv-1, pv-2 is lost/,
        );
        const records = recordedLoss("tikv");
        const stores = { 1: { ...downFor(minutes), state: "Offline" } };
        assert.match(
            steps("tikv", { ...lostTikv, stores, claims: [], records }, [
                "PD has not yet emptied store 11, with 1500 regions left: it needs free space on others. After 86400 s the update goes on without it",
            ])[0],
            /^give up the volumes of basic-tikv-1 \(an earlier run has begun; its volumes were on node node-1, which is gone\): wait: store 11 \(basic-tikv-1\) is Offline with 1500 regions left, delete pod; .*\(~30 s\)$/,
        );
    });
    it("deletes the record of what was not begun in PD and may not be now: a later plan needs another consent", () => {
        const back = { ...lostTikv, stores: {}, records: recordedLoss("tikv") };
        assert.deepEqual(planned("tikv", back), {
            steps: [],
            warnings: ["nothing of basic-tikv-1 is given up: store 11 (basic-tikv-1) is Up: PD hears from it"],
            remarks: [],
        });
        assert.deepEqual(plannedLoss(seenLoss("tikv", back), lostTarget).map(describeStep), [
            "clean up basic-tikv-1 (its volumes are not given up): delete the record that volumes of basic-tikv-1 are given up (~1 s)",
        ]);
        const ready = { ...back, pods: { 1: { ready: true } } };
        assert.deepEqual(planned("tikv", ready), {
            steps: [],
            warnings: [],
            remarks: ["nothing of basic-tikv-1 is given up: it is Ready"],
        });
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
