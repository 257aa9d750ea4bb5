import * as assert from "node:assert/strict";
import { primaryTarget, tsoLifecycle } from "../../../../provider/lifecycle/members/pdmsMember";
import type { PodView } from "../../../../provider/lifecycle/vocabulary/stage";
import { notReady } from "../../../support/lifecycle/decisionTable";
import { podView, stageOf, stageTable } from "../../../support/lifecycle/inWords";
import { type Deviation, observed } from "../../../support/lifecycle/observations";
import { plannedRollout, plannedScale } from "../../../support/lifecycle/planned";
import { changedView } from "../../../support/lifecycle/changedView";

const unknown: Deviation = { pdSilent: true };
const [elsewhere, registered] = [
    stageOf(tsoLifecycle.beforeRestart, "primary-elsewhere"),
    stageOf(tsoLifecycle.afterRestart, "server-registered"),
];
const primary1 = { primary: 1 };
const to0 = "transfer the primary of tso from basic-tso-1 to basic-tso-0";
/** PD was not queried about this microservice at all. */
const notAsked = (row: Deviation): PodView => {
    const view = podView("tso", 1, row);
    return changedView(view, { pd: { ...view.pd, microservices: {} } });
};
const whoServes = { lacks: "the servers of tso are not known: PD was not queried" };

describe("who becomes the primary of a microservice before a pod stops", () => {
    const cases: [name: string, ordinal: number, row: Deviation, target: string | undefined][] = [
        ["the highest above it", 0, { live: 4 }, "basic-tso-3"],
        ["the highest above it that stays", 0, { live: 4, replicas: 3 }, "basic-tso-2"],
        ["the highest above it that is Ready", 0, { live: 4, pods: { 3: { ready: false } } }, "basic-tso-2"],
        ["the highest above it that does not stop", 0, { live: 4, pods: { 3: { terminating: true } } }, "basic-tso-2"],
        ["the highest above it that PD lists", 0, { live: 4, notRegistered: [3] }, "basic-tso-2"],
        ["the lowest, where none is above", 3, { live: 4 }, "basic-tso-0"],
        ["the lowest that PD lists", 3, { live: 4, notRegistered: [0] }, "basic-tso-1"],
        ["none before version 8.3.0, where servers have no names", 0, { live: 4, nameless: true }, undefined],
        ["none if there is no other", 0, { live: 1 }, undefined],
        ["none if all leave", 1, { live: 2, replicas: 0 }, undefined],
        ["none if PD does not list them", 0, { live: 4, ...unknown }, undefined],
    ];
    for (const [name, ordinal, row, target] of cases) {
        it(`${name}: ${target ?? "nobody"}`, () => assert.equal(primaryTarget(podView("tso", ordinal, row)), target));
    }
    it("is the same for any order in which the API server lists the pods", () => {
        for (const [ordinal, target] of [
            [0, "basic-tso-3"],
            [3, "basic-tso-0"],
        ] as const) {
            const view = podView("tso", ordinal, { live: 4 });
            const pods = [...view.member.pods].reverse();
            assert.equal(primaryTarget(changedView(view, { member: { ...view.member, pods } })), target);
        }
    });
});

stageTable("the primary is another server", elsewhere, "tso", 1, [
    ["it is", {}, true, "nothing"],
    ["it is this one", primary1, "basic-tso-1 is the primary of tso", to0],
    ["there is none", { primary: null }, "tso has no primary", "nothing"],
    ["PD does not list them", unknown, "the servers of tso are not known: PD answers 500", "nothing"],
    ["no server can take over", { ...primary1, pods: { 0: { ready: false } } }, true, "nothing"],
    ["nothing runs in the pod", { ...primary1, pods: { 1: notReady } }, true],
    ["nothing runs in the pod, and PD does not list them", { ...unknown, pods: { 1: notReady } }, true],
    ["there is no pod that could give it up", { ...primary1, pods: { 1: undefined } }, true, "nothing"],
]);

stageTable("a restarted server is registered", registered, "tso", 1, [
    ["it is", {}, true],
    ["PD does not list it", { notRegistered: [1] }, "PD does not list basic-tso-1 as a server of tso"],
    ["PD lists none", { notRegistered: [0, 1] }, "PD does not list basic-tso-1 as a server of tso"],
]);

describe("if PD's microservices were not requested", () => {
    it("nothing is assumed, and nothing is done", () => {
        assert.deepEqual(elsewhere.holds(notAsked({})), whoServes);
        assert.deepEqual(registered.holds(notAsked({})), whoServes);
        assert.equal(elsewhere.act?.(notAsked(primary1)), undefined);
    });
    it("nothing is missing", () => assert.equal(tsoLifecycle.lacks?.(notAsked({})), undefined));
});

describe("a server of a microservice", () => {
    const view = (row: Deviation) => podView("tso", 1, row);
    const alone: Deviation = { ...primary1, notRegistered: [0] };
    it("lacks its entry in PD's list", () => {
        assert.equal(tsoLifecycle.lacks?.(view({})), undefined);
        const why = "wait for basic-tso-1: PD does not list it as a server of tso";
        assert.equal(tsoLifecycle.lacks?.(view({ notRegistered: [1] })), why);
    });
    it("is restarted, and the plan says what happens to the primary", () => {
        const does = (row: Deviation) => {
            const { observation, target } = observed("tso", { ...row, stale: [1] });
            return plannedRollout(observation, target).map((step) => step.does.join(", "));
        };
        assert.deepEqual(does({}), ["delete pod"]);
        assert.deepEqual(does(primary1), ["transfer primary to basic-tso-0, delete pod"]);
        // The update waits for what it does not know, and for a server that can take over.
        assert.deepEqual([does(unknown), does(alone)], [[""], [""]]);
    });
    it("is a risk if it is the primary and no other server can take over", () => {
        const risk = "tso has no primary until another server takes over";
        assert.deepEqual(
            [{}, primary1, alone, { notRegistered: [0] }].map((row) => tsoLifecycle.restartRisk(view(row))),
            [undefined, undefined, risk, undefined],
        );
    });
    it("is scaled in, and the plan says what happens to the primary", () => {
        const does = (row: Deviation) => {
            const { observation, target } = observed("tso", { ...row, live: 2, replicas: 1 });
            return plannedScale(observation, target).map((step) => step.does.join(", "));
        };
        assert.deepEqual(does({}), ["graceful shutdown"]);
        assert.deepEqual(does(primary1), ["transfer primary to basic-tso-0, graceful shutdown"]);
    });
});
