import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../../../provider/lifecycle/members/memberLifecycles";
import { pumpLifecycle } from "../../../../../provider/lifecycle/members/pumpMember";
import { nextReadyMove } from "../../../../../provider/lifecycle/walks/ready";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import type { Component } from "../../../../../topology/members";
import {
    acted,
    decisionTable,
    justNow,
    notReady,
    type Row,
    steady,
    waited,
} from "../../../../support/lifecycle/decisionTable";
import { claimOf, type Deviation, observed } from "../../../../support/lifecycle/observations";
import { repeats } from "../../../../support/repeats";

const rollout: Row[] = [
    ["nothing is stale", {}, "done"],
    ["the highest ordinal goes first", { stale: [0, 1] }, "restart basic-pump-1"],
    ["a restarted one must be online again", { stale: [0], pumps: { 1: "paused" } }, "wait pump-online basic-pump-1"],
    ["and registered", { stale: [0], pumps: { 1: null } }, "wait pump-online basic-pump-1"],
    ["online: the next", { stale: [0] }, "restart basic-pump-0"],
    [
        "not online in time",
        { stale: [0], pumps: { 1: "paused" } },
        "fail pump-online basic-pump-1",
        waited("pump-online", "basic-pump-1", 600),
    ],
    [
        "none goes while no other is online",
        { stale: [0, 1], pumps: { 0: "paused" } },
        "wait another-pump-online basic-pump-1",
    ],
    [
        "one that is not online itself may",
        { stale: [0, 1], pumps: { 0: "paused", 1: "paused" } },
        "restart basic-pump-1",
    ],
    ["the only one may", { live: 1, stale: [0] }, "restart basic-pump-0"],
    ["nothing without PD's answer", { stale: [0, 1], pdSilent: true }, "wait pd-answers basic-pd"],
];

const scale: Row[] = [
    ["a pump that leaves goes offline first", { live: 2, replicas: 1 }, "close-pump basic-pump-1"],
    [
        "which is waited for",
        { live: 2, replicas: 1, pumps: { 1: "closing" } },
        "wait pump-offline basic-pump-1",
        acted("close-pump uid-1", 60_000),
    ],
    ["a paused one is not closed", { live: 2, replicas: 1, pumps: { 1: "paused" } }, "wait pump-offline basic-pump-1"],
    [
        "offline, it gives its volume up",
        { live: 2, replicas: 1, pumps: { 1: "offline" }, claims: [claimOf("pump", 1)] },
        "release-claims pump-basic-pump-1",
    ],
    ["then it may go", { live: 2, replicas: 1, pumps: { 1: "offline" } }, "done"],
    [
        "one that PD does not know may still register",
        { live: 2, replicas: 1, pumps: { 1: null }, pods: { 1: { ...notReady, ...justNow, ready: false } } },
        "wait pump-offline basic-pump-1",
    ],
    ["also one that is Ready", { live: 2, replicas: 1, pumps: { 1: null } }, "wait pump-offline basic-pump-1"],
    [
        "but not one whose process has not run for long",
        { live: 2, replicas: 1, pumps: { 1: null }, pods: { 1: notReady } },
        "done",
        steady("pump-offline", "basic-pump-1", 150),
    ],
    [
        "it may take as long as a store",
        { live: 2, replicas: 1, pumps: { 1: "closing" } },
        "wait pump-offline basic-pump-1",
        waited("pump-offline", "basic-pump-1", 86_000),
    ],
    [
        "and not longer",
        { live: 2, replicas: 1, pumps: { 1: "closing" } },
        "fail pump-offline basic-pump-1",
        waited("pump-offline", "basic-pump-1", 86_400),
    ],
    [
        "an ordinal comes back with an empty volume",
        { live: 1, replicas: 2, claims: [claimOf("pump", 1, { released: true })] },
        "delete-claims pump-basic-pump-1",
    ],
];

decisionTable("upgrade decisions, Pump", "pump", rollout, nextRolloutMove);
decisionTable("scale decisions, Pump", "pump", scale, nextScaleMove);
decisionTable(
    "decisions of a first deployment, Pump",
    "pump",
    [
        ["one pump online is enough for TiDB", { pumps: { 1: null } }, "done"],
        ["none is not", { pumps: { 0: null, 1: "paused" } }, "wait available basic-pump"],
    ],
    (observation, target, memory) => nextRolloutMove(observation, target, memory, "available"),
);

describe("Pump's replicas", () => {
    const refused = (live: number, replicas: number, podManagementPolicy: string) => {
        const { observation, target } = observed("pump", { live, replicas, podManagementPolicy });
        return pumpLifecycle.refuseReplicas(observation, target);
    };
    it("fall one at a time with OrderedReady: an offline pump is not Ready and holds up the others", () => {
        repeats(refused(3, 1, "OrderedReady"), "2 replicas");
        assert.equal(refused(3, 2, "OrderedReady"), undefined);
        assert.equal(refused(3, 1, "Parallel"), undefined);
        assert.equal(refused(1, 3, "OrderedReady"), undefined);
    });
});

const well = { "basic-tiproxy-0": null, "basic-tiproxy-1": null };
const withStatus =
    (status: Record<string, string | null>): typeof nextRolloutMove =>
    (observation, target, memory) =>
        nextRolloutMove({ ...observation, podStatus: status }, target, memory);
decisionTable(
    "upgrade decisions, TiProxy",
    "tiproxy",
    [
        ["nothing is stale", {}, "done"],
        ["the highest ordinal goes first", { stale: [0, 1] }, "restart basic-tiproxy-1"],
        ["one is not Ready", { stale: [0], pods: { 1: notReady } }, "wait pod-available basic-tiproxy-1"],
        [
            "not for long enough",
            { stale: [0], pods: { 1: justNow }, policy: { minReadySeconds: 30 } },
            "wait pod-available basic-tiproxy-1",
        ],
        ["healthy: the next", { stale: [0] }, "restart basic-tiproxy-0"],
        ["it does not need PD", { stale: [0], pdSilent: true }, "restart basic-tiproxy-0"],
    ],
    withStatus(well),
);
decisionTable(
    "upgrade decisions, TiProxy that is not well",
    "tiproxy",
    [["a restarted one", { stale: [0] }, "wait status-well basic-tiproxy-1"]],
    withStatus({ ...well, "basic-tiproxy-1": "answers 502" }),
);
decisionTable(
    "scale decisions, TiProxy",
    "tiproxy",
    [
        ["it may go", { live: 2, replicas: 1 }, "done"],
        [
            "its volumes are given up",
            { live: 2, replicas: 1, claims: [claimOf("tiproxy", 1)] },
            "release-claims tiproxy-basic-tiproxy-1",
        ],
    ],
    nextScaleMove,
);

describe("PD is observed together with all members that need it", () => {
    it("so it is not scaled to 0 while they run", () => {
        const others = Object.keys(memberLifecycles).filter((one) => !["pd", "tso", "scheduling"].includes(one));
        assert.deepEqual([...(memberLifecycles.pd.looks.dependants ?? [])].sort(), others.sort());
    });
});

describe("a cluster is ready", () => {
    it("when its captures and pumps are ready too", () => {
        const cases: [Component, Deviation, string][] = [
            ["pump", { pumps: { 1: "paused" } }, "pump-online"],
            ["ticdc", { captures: { list: [] } }, "capture-registered"],
        ];
        for (const [component, row, step] of cases) {
            const { observation, target } = observed(component, row);
            const move = nextReadyMove(observation, [target], { waits: {}, actedAt: {} });
            assert.equal(move.kind === "wait" && move.step, step);
        }
    });
});
