import * as assert from "node:assert/strict";
import { known } from "../../../../../provider/lifecycle/vocabulary/evidence";
import { pumpLifecycle } from "../../../../../provider/lifecycle/members/pumpMember";
import { stageTimeout } from "../../../../../provider/lifecycle/vocabulary/stage";
import { notReady } from "../../../../support/lifecycle/decisionTable";
import { podView, stageOf, stageTable } from "../../../../support/lifecycle/inWords";
import { type Deviation, now, observed } from "../../../../support/lifecycle/observations";
import { changedView } from "../../../../support/lifecycle/changedView";

const unknown: Deviation = { unknown: ["pumps"] };
const notListed = "the pumps are not known: PD did not answer";
const [another, online, offline] = [
    stageOf(pumpLifecycle.beforeRestart, "another-pump-online"),
    stageOf(pumpLifecycle.afterRestart, "pump-online"),
    stageOf(pumpLifecycle.beforeRemoval, "pump-offline"),
];

stageTable("TiDB has another pump to write to", another, "pump", 1, [
    ["it has", {}, true],
    ["PD does not list them", unknown, notListed],
    ["the other one is paused", { pumps: { 0: "paused" } }, "no pump except basic-pump-1 is online"],
    ["this one is not online either, so its restart takes nothing away", { pumps: { 0: "paused", 1: "paused" } }, true],
    ["this one is not registered", { pumps: { 0: "paused", 1: null } }, true],
    ["only one is wanted", { replicas: 1, live: 2, pumps: { 0: "paused" } }, true],
]);

stageTable("a restarted pump is online", online, "pump", 1, [
    ["it is", {}, true],
    ["PD does not list them", unknown, "the pump of basic-pump-1 is not known: PD did not answer"],
    ["it is paused", { pumps: { 1: "paused" } }, "the pump of basic-pump-1 is paused"],
    ["it is not there", { pumps: { 1: null } }, "the pump of basic-pump-1 is not registered"],
]);

const close = "take the pump of basic-pump-1 offline";
const mayRegister = "PD lists no pump for basic-pump-1, which may still register one";
stageTable("a leaving pump has handed over all its binlogs", offline, "pump", 1, [
    ["it is offline", { pumps: { 1: "offline" } }, true, "nothing"],
    ["PD does not list them: a pump with binlogs would be removed", unknown, notListed, "nothing"],
    ["it is online", {}, "the pump of basic-pump-1 is online", close],
    ["it is closing", { pumps: { 1: "closing" } }, "the pump of basic-pump-1 is closing", "nothing"],
    ["it is online, and its pod is gone", { pods: { 1: undefined } }, "the pump of basic-pump-1 is online", "nothing"],
    ["it never registered, and has no pod", { pumps: { 1: null }, pods: { 1: undefined } }, true],
    ["it may register yet", { pumps: { 1: null } }, mayRegister, "nothing"],
    [
        "it no longer runs: it is watched for a while",
        { pumps: { 1: null }, pods: { 1: notReady } },
        { lacks: mayRegister, steadyFor: 150, needsLock: true },
    ],
]);

describe("a pump of another cluster on this PD", () => {
    const view = podView("pump", 1, { pumps: { 1: null } });
    const foreign = { nodeId: "x", podName: "basic-pump-1", own: false, state: "online" };
    const pd = { ...view.pd, pumps: known([foreign], "PD", now) };
    const seen = changedView(view, { pd, observation: { ...view.observation, pd } });
    it("is not ours, whatever its name is", () => {
        assert.deepEqual(online.holds(seen), { lacks: "the pump of basic-pump-1 is not registered" });
        assert.equal(offline.act?.(seen), undefined);
    });
});

describe("a pump that leaves", () => {
    it("may take as long as a store", () => {
        const policy = { storeRemovalTimeoutSeconds: 1_000 };
        assert.deepEqual(stageTimeout(offline, podView("pump", 1, { policy })), { seconds: 1_000, then: "fail" });
    });
    it("is closed by the id under which it registered", () => {
        assert.deepEqual(offline.act?.(podView("pump", 1, {})), {
            ...{ do: "close-pump", pod: "basic-pump-1", uid: "uid-1", nodeId: "basic-pump-1:8250" },
        });
    });
});

describe("Pump", () => {
    const available = (row: Deviation) => {
        const { observation, target } = observed("pump", row);
        return pumpLifecycle.available(observation, target);
    };
    it("is available for TiDB once one is online", () => {
        assert.equal(available({ pumps: { 0: null } }), undefined);
        assert.equal(available({ live: 2, replicas: 0, pumps: { 0: null, 1: null } }), undefined);
        assert.equal(available({ pumps: { 0: "paused", 1: null } }), "no pump is online");
        assert.equal(available(unknown), "no pump is online (not known: PD did not answer)");
    });
    it("lacks what its pump lacks, if PD was queried", () => {
        const lacks = (row: Deviation) => pumpLifecycle.lacks?.(podView("pump", 1, row));
        assert.equal(lacks({}), undefined);
        assert.equal(lacks({ pumps: { 1: "paused" } }), "the pump of basic-pump-1 is paused");
        assert.equal(lacks(unknown), "the pump of basic-pump-1 is not known: PD did not answer");
        assert.equal(lacks({ notAsked: ["pumps"] }), undefined);
    });
    it("is never refused its replicas in a cluster without a pump", () => {
        const { observation, target } = observed("pump", { live: 3, replicas: 1 });
        assert.equal(pumpLifecycle.refuseReplicas({ ...observation, members: {} }, target), undefined);
        const member = { component: "pump" as const, pods: [], claims: [] };
        assert.equal(pumpLifecycle.refuseReplicas({ ...observation, members: { pump: member } }, target), undefined);
    });
});
