import * as assert from "node:assert/strict";
import type { Observation, ObservedCaptures } from "../../../../../provider/lifecycle/vocabulary/observation";
import { ticdcLifecycle } from "../../../../../provider/lifecycle/members/ticdcMember";
import { stageTimeout } from "../../../../../provider/lifecycle/vocabulary/stage";
import {
    beforeCaptureLeaves,
    beforeCaptureRestarts,
    captureOf,
    listTrouble,
    shutdownBegunAt,
} from "../../../../../provider/lifecycle/members/ticdcShutdown";
import { notReady } from "../../../../support/lifecycle/decisionTable";
import { podView, stageOf, type StageRow, stageTable } from "../../../../support/lifecycle/inWords";
import { type Deviation, now } from "../../../../support/lifecycle/observations";
import { changedView } from "../../../../support/lifecycle/changedView";

const all = [0, 1, 2];
const busy = { list: { trouble: "the owner answers 503" } };
const byPod = (answer: object) => ({
    byPod: {
        "basic-ticdc-0": { id: "capture-0", version: "v8.5.3" },
        "basic-ticdc-1": { id: "capture-1", version: "v8.5.3" },
        "basic-ticdc-2": answer,
    } as ObservedCaptures["byPod"],
});
const silent = byPod({ trouble: "does not answer" });
const others = { list: [0, 1].map((one) => ({ id: `capture-${one}`, isOwner: one === 0 })) };
const old = { version: "v7.1.0", captures: { ...byPod({ id: "capture-2", version: "v6.2.0" }), owner: 2 } };
const stopping = { pods: { 2: { terminating: true } } };
const table = (name: string, rows: StageRow[]) =>
    stageTable(`before a capture stops, ${name}`, stageOf(beforeCaptureRestarts, name), "ticdc", 2, rows);

describe("the shutdown of a capture", () => {
    const since = (seconds: number | undefined, policy: Deviation["policy"] = {}) => {
        const begunAt = seconds === undefined ? undefined : now - seconds * 1000;
        return shutdownBegunAt(podView("ticdc", 2, { pods: { 2: { shutdownBegunAt: begunAt } }, policy }));
    };
    it("has begun if that is recorded, for its timeout plus an hour", () => {
        assert.equal(since(10), now - 10_000);
        assert.equal(since(4_199), now - 4_199_000);
        assert.equal(since(4_200), undefined);
        assert.equal(since(undefined), undefined);
    });
    it("has begun for longer if its timeout is longer", () => {
        const policy = { gracefulShutdownTimeoutSeconds: 900 };
        assert.equal(since(4_499, policy), now - 4_499_000);
        assert.equal(since(4_500, policy), undefined);
    });
    it("does not exist for a pod that does not exist", () =>
        assert.equal(shutdownBegunAt(podView("ticdc", 2, { pods: { 2: undefined } })), undefined));
});

table("shutdown-begun", [
    [
        "it is not",
        {},
        "the shutdown of basic-ticdc-2 has not begun",
        "record that the shutdown of basic-ticdc-2 has begun",
    ],
    ["it is", { pods: { 2: { shutdownBegunAt: now - 10_000 } } }, true],
    ["the pod stops already", stopping, true],
    ["it is not Ready: there is nothing to move away from it", { pods: { 2: notReady } }, true],
    ["it is not there", { pods: { 2: undefined } }, true, "nothing"],
]);

table("capture-answers", [
    ["it does", {}, true],
    ["it reports what is wrong", { captures: silent }, "TiCDC in basic-ticdc-2 does not answer"],
    ["it was not queried", { captures: { byPod: {} } }, "TiCDC in basic-ticdc-2 has not been queried"],
    ["it stops already", { captures: silent, ...stopping }, true],
]);

table("owner-elsewhere", [
    ["another one owns TiCDC", {}, true],
    [
        "it owns TiCDC",
        { captures: { owner: 2 } },
        "basic-ticdc-2 still owns TiCDC",
        "move the ownership of TiCDC away from basic-ticdc-2",
    ],
    ["it has no owner", { captures: { owner: null } }, true],
    ["the captures cannot be listed", { captures: busy }, "the owner answers 503", "nothing"],
    ["its version cannot list them", { captures: { list: "unsupported" } }, true],
    ["it is the only one", { live: 3, captures: { list: [{ id: "capture-2", isOwner: true }] } }, true],
    ["it does not answer: its identity is not known", { captures: { ...silent, owner: 2 } }, true],
    ["it stops already", { captures: { owner: 2 }, ...stopping }, true],
    ["the version to come cannot take over from it", old, true],
]);

const drain = "move the tables of basic-ticdc-2 to other captures";
table("capture-drained", [
    ["its number of tables was not queried", {}, "basic-ticdc-2 has an unknown number of tables left", drain],
    ["it has seven", { captures: { tablesLeft: { "uid-2": 7 } } }, "basic-ticdc-2 has 7 tables left", drain],
    ["it has none", { captures: { tablesLeft: { "uid-2": 0 } } }, true],
    ["the captures cannot be listed", { captures: busy }, "the owner answers 503", "nothing"],
    ["its version cannot list them", { captures: { list: "unsupported" } }, true, "nothing"],
    ["it is the only one", { captures: { list: [{ id: "capture-2", isOwner: true }] } }, true, "nothing"],
    ["TiCDC has no owner", { captures: { owner: null } }, "no capture owns TiCDC", "nothing"],
    ["it is not in the list", { captures: others }, "basic-ticdc-2 is not among the captures", "nothing"],
    ["it does not answer", { captures: silent }, true, "nothing"],
    ["there is no pod", { pods: { 2: undefined } }, true, "nothing"],
    ["it stops already", stopping, true],
]);

table("next-is-not-owner", [
    ["the next one does not own TiCDC", { stale: all }, true],
    [
        "it does",
        { stale: all, captures: { owner: 1 } },
        "basic-ticdc-1, which is shut down next, owns TiCDC",
        "move the ownership of TiCDC away from basic-ticdc-1",
    ],
    [
        "the next but one is next, where the one between has been restarted",
        { stale: [0, 2], captures: { owner: 0 } },
        "basic-ticdc-0, which is shut down next, owns TiCDC",
    ],
    ["and the one between may own it", { stale: [0, 2], captures: { owner: 1 } }, true],
    [
        "the next one is not Ready, and is not shut down",
        { stale: all, pods: { 1: notReady }, captures: { owner: 1 } },
        true,
    ],
    [
        "the next one does not answer: its identity is not known",
        {
            stale: all,
            captures: {
                byPod: { ...byPod({ id: "capture-2", version: "v8.5.3" }).byPod, "basic-ticdc-1": { trouble: "…" } },
                owner: 1,
            },
        },
        true,
    ],
    ["none is next", { stale: [2], captures: { owner: 1 } }, true, "nothing"],
    [
        "only the leaving one could take it",
        { stale: all, captures: { list: [1, 2].map((one) => ({ id: `capture-${one}`, isOwner: one === 1 })) } },
        true,
    ],
    ["the captures cannot be listed", { stale: all, captures: busy }, true],
]);

table("owner-well", [
    ["it is", {}, true],
    ["it is not", { captures: { ownerTrouble: "the owner answers 500" } }, "the owner answers 500"],
]);

stageTable(
    "a restarted capture is registered",
    stageOf(ticdcLifecycle.afterRestart, "capture-registered"),
    "ticdc",
    2,
    [
        ["it is", {}, true],
        ["it reports what is wrong", { captures: silent }, "TiCDC in basic-ticdc-2 does not answer"],
        ["it was not queried", { captures: { byPod: {} } }, "TiCDC in basic-ticdc-2 has not been queried"],
        ["the others do not know it", { captures: others }, "basic-ticdc-2 is not among the captures"],
        ["they cannot be listed", { captures: busy }, "the owner answers 503"],
        ["its version cannot list them", { captures: { list: "unsupported" } }, true],
    ],
);

describe("if TiCDC was not observed", () => {
    const blind = (row: Deviation = {}) => {
        const view = podView("ticdc", 2, row);
        const observation: Observation = { ...view.observation, captures: undefined };
        return changedView(view, { observation });
    };
    it("nothing is assumed", () => {
        assert.equal(captureOf(blind()), undefined);
        assert.equal(listTrouble(undefined), "TiCDC has not been queried");
        const [, answers] = beforeCaptureLeaves;
        assert.deepEqual(answers.holds(blind()), { lacks: "TiCDC in basic-ticdc-2 has not been queried" });
        const [registered] = ticdcLifecycle.afterRestart;
        assert.deepEqual(registered.holds(blind()), { lacks: "TiCDC in basic-ticdc-2 has not been queried" });
    });
    it("nothing is done to it", () => {
        for (const name of ["owner-elsewhere", "capture-drained"]) {
            assert.equal(stageOf(beforeCaptureLeaves, name).act?.(blind()), undefined);
        }
    });
});

describe("the whole shutdown of a capture", () => {
    it("shares one timeout, after which it stops with whatever it still has", () => {
        const seconds = (policy: Deviation["policy"]) =>
            beforeCaptureRestarts.map((stage) => stageTimeout(stage, podView("ticdc", 2, { policy })));
        const shared = (seconds: number) => ({ seconds, then: "go-on", as: "capture-shut-down" });
        assert.deepEqual(seconds({}), Array(6).fill(shared(600)));
        assert.deepEqual(seconds({ gracefulShutdownTimeoutSeconds: 0 }), Array(6).fill(shared(0)));
    });
});
