import * as assert from "node:assert/strict";
import { describeMissing } from "../../../../provider/lifecycle/walks/describeMissing";
import { statusWell } from "../../../../provider/lifecycle/stages/statusWell";
import { stageTimeout } from "../../../../provider/lifecycle/vocabulary/stage";
import { podView, stageTable } from "../../../support/lifecycle/inWords";
import { type Deviation, evicting, observed, storeOf } from "../../../support/lifecycle/observations";
import type { Component } from "../../../../topology/members";
import { changedView } from "../../../support/lifecycle/changedView";

describe("what a member lacks, one line each", () => {
    const missing = (component: Component, row: Deviation) => {
        const { observation, target } = observed(component, row);
        return describeMissing(observation, target).map(({ words }) => words);
    };
    const cases: [component: Component, row: Deviation, lines: string[]][] = [
        ["tikv", {}, []],
        ["tikv", { pods: { 1: undefined } }, ["wait for basic-tikv-1: it does not exist"]],
        ["tidb", { pods: { 1: { ready: false } } }, ["wait for basic-tidb-1 to be Ready"]],
        [
            "tidb",
            {
                pods: {
                    0: { ready: false, trouble: "Unschedulable", sidecarTrouble: "x" },
                    1: { ready: false, sidecarTrouble: "CrashLoopBackOff" },
                },
            },
            ["wait for basic-tidb-0 to be Ready: Unschedulable", "wait for basic-tidb-1 to be Ready: CrashLoopBackOff"],
        ],
        ["tidb", { stale: [0] }, ["wait for basic-tidb-0 to run the newest template"]],
        ["tikv", { stores: { 1: { state: "Down" } } }, ["wait for the store of basic-tikv-1: it is Down"]],
        ["tikv", { stores: { 1: undefined } }, ["wait for the store of basic-tikv-1: it has not registered a store"]],
        [
            "tikv",
            { stores: { 1: undefined }, tombstones: [storeOf(1, { state: "Tombstone" })] },
            ["wait for the store of basic-tikv-1: it has not registered a store since PD removed store 11 (Tombstone)"],
        ],
        [
            "tikv",
            { moreStores: [storeOf(1, { id: 99 })] },
            ["wait for the store of basic-tikv-1: PD lists 2 under its address"],
        ],
        ["tikv", { live: 1, pdSilent: true }, ["wait for the store of basic-tikv-0: PD answers 500"]],
        ["tikv", { live: 1, notAsked: ["stores"] }, []],
        // The update ends it by itself.
        ["tikv", { records: evicting(2) }, []],
    ];
    for (const [component, row, lines] of cases) {
        it(lines.join("; ") || `nothing (${component})`, () => assert.deepEqual(missing(component, row), lines));
    }
});

stageTable("a pod reports that it is healthy", statusWell("/status"), "tidb", 1, [
    ["it does", {}, true],
    ["it does not", { trouble: { 1: "answers 500" } }, "/status of basic-tidb-1 answers 500"],
]);

describe("a pod whose health is queried", () => {
    it("is waited for like any other", () => {
        const stage = statusWell("/status");
        assert.equal(stage.name, "status-well");
        assert.equal(stage.advice, "check the pod's log");
        const view = podView("tidb", 1, { policy: { podReadyTimeoutSeconds: 601 } });
        assert.deepEqual(stageTimeout(stage, view), { seconds: 601, then: "fail" });
    });
});

describe("a pod whose health was not queried", () => {
    it("is not", () => {
        const view = podView("tidb", 1, {});
        const lacks = "/status of basic-tidb-1 has not been queried";
        for (const podStatus of [undefined, {}]) {
            const observation = { ...view.observation, podStatus };
            assert.deepEqual(statusWell("/status").holds(changedView(view, { observation })), { lacks });
        }
    });
});
