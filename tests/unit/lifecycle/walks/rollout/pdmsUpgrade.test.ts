import * as assert from "node:assert/strict";
import { nextReadyMove, planReady } from "../../../../../provider/lifecycle/walks/ready";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import { acted, decisionTable, notReady, type Row, waited } from "../../../../support/lifecycle/decisionTable";
import { emptyMemory, inShort, observed } from "../../../../support/lifecycle/observations";
import { plannedRollout } from "../../../../support/lifecycle/planned";

// tidb-operator pkg/manager/member/pd_ms_upgrader_test.go. In addition: the primary is seen elsewhere, which tidb-operator does not check.

const crashes = { ...notReady, trouble: "back-off restarting failed container" };
const tenAgo = waited("primary-elsewhere", "basic-tso-0", 599);

const upgrade: Row[] = [
    ["nothing is stale", {}, "done"],
    ["the highest ordinal goes first", { stale: [0, 1, 2], live: 3 }, "restart basic-tso-2"],
    ["the next follows", { stale: [0, 1], live: 3 }, "restart basic-tso-1"],
    [
        "a restarted pod that is not Ready holds",
        { stale: [0], pods: { 1: notReady } },
        "wait pod-available basic-tso-1",
    ],
    [
        "a restarted pod that PD does not list holds",
        { stale: [0], notRegistered: [1] },
        "wait server-registered basic-tso-1",
    ],
    [
        "the primary at the highest ordinal goes to the lowest",
        { stale: [0, 1, 2], live: 3, primary: 2 },
        "transfer-primary of tso to basic-tso-0",
    ],
    [
        "the primary in the middle goes to the highest, which is restarted already",
        { stale: [0, 1], live: 3, primary: 1 },
        "transfer-primary of tso to basic-tso-2",
    ],
    [
        "the primary at the lowest goes to the highest",
        { stale: [0], live: 3, primary: 0 },
        "transfer-primary of tso to basic-tso-2",
    ],
    [
        "not to one that PD does not list",
        { stale: [0, 1, 2], live: 3, primary: 2, notRegistered: [0] },
        "transfer-primary of tso to basic-tso-1",
    ],
    [
        "not to one that stops",
        { stale: [0, 1, 2], live: 3, primary: 2, pods: { 0: { terminating: true } } },
        "transfer-primary of tso to basic-tso-1",
    ],
    [
        "not to one that is to be scaled away",
        { stale: [0], live: 3, replicas: 2, primary: 0 },
        "transfer-primary of tso to basic-tso-1",
    ],
    [
        "once asked, it is waited for until it is seen elsewhere",
        { stale: [0], primary: 0 },
        "wait primary-elsewhere basic-tso-0",
        acted("transfer-primary uid-0", 500),
    ],
    ["no primary: one is waited for", { stale: [0], primary: null }, "wait primary-elsewhere basic-tso-0"],
    [
        "and not forever",
        { stale: [0], primary: null, policy: { podReadyTimeoutSeconds: 599 } },
        "fail primary-elsewhere basic-tso-0",
        tenAgo,
    ],
    ["a single server has no other to hand over to", { stale: [0], live: 1 }, "restart basic-tso-0"],
    [
        "before 8.3.0 servers have no names to hand over to",
        { stale: [0], primary: 0, nameless: true },
        "restart basic-tso-0",
    ],
    [
        "a pod that does not serve is restarted whoever is primary",
        { stale: [0], primary: null, pods: { 0: notReady } },
        "restart basic-tso-0",
    ],
    ["PD unreachable: a pod that runs is not touched", { stale: [0, 1], pdSilent: true }, "wait pd-answers basic-pd"],
    [
        "PD unreachable: a pod that cannot start is recreated",
        { stale: [0, 1], pods: { 1: crashes }, pdSilent: true },
        "restart basic-tso-1",
    ],
    ["PD unreachable, and nothing stale: PD comes after it", { pods: { 1: crashes }, pdSilent: true }, "done"],
];
decisionTable("a roll-out of a microservice of PD", "tso", upgrade, nextRolloutMove);

const first: Row[] = [
    ["pods that wait for PD hold nothing up", { pods: { 0: crashes, 1: notReady }, pdSilent: true }, "done"],
    ["nor pods that do not exist yet", { pods: { 0: undefined, 1: undefined }, pdSilent: true }, "done"],
    ["the controller is waited for", { settled: false, pdSilent: true }, "wait statefulset-observed basic-tso"],
];
decisionTable("the first deployment of a microservice of PD", "tso", first, (observation, target, memory) =>
    nextRolloutMove(observation, target, memory, "available"),
);

const scale: Row[] = [
    ["a server more needs nothing", { live: 2, replicas: 3 }, "done"],
    [
        "the primary hands over before it goes",
        { live: 3, replicas: 2, primary: 2 },
        "transfer-primary of tso to basic-tso-0",
    ],
    ["another goes at once", { live: 3, replicas: 2, primary: 0 }, "done"],
    ["all may go", { live: 2, replicas: 0, primary: 1 }, "done"],
];
decisionTable("scaling a microservice of PD", "tso", scale, nextScaleMove);

describe("a microservice of PD", () => {
    it("says in the plan who becomes the primary", () => {
        const { observation, target } = observed("scheduling", { stale: [0, 1], primary: 1 });
        const [step] = plannedRollout(observation, target);
        assert.deepEqual(step.does, ["transfer primary to basic-scheduling-0", "delete pod"]);
        assert.equal(step.waitsFor, "Ready, registered in PD");
    });

    it("says what a single server's restart puts at risk", () => {
        const { observation, target } = observed("tso", { live: 1, stale: [0] });
        assert.equal(plannedRollout(observation, target)[0].risk, "tso has no primary until another server takes over");
    });

    it("is waited for at the end: each server is registered", () => {
        const { observation, target } = observed("tso", { notRegistered: [1] });
        assert.equal(inShort(nextReadyMove(observation, [target], emptyMemory)), "wait server-registered basic-tso-1");
        assert.deepEqual(planReady(observation, [target]), [
            {
                pod: "basic-tso-1",
                exists: true,
                words: "wait for basic-tso-1: PD does not list it as a server of tso",
            },
        ]);
    });
});
