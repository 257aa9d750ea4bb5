import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../../../provider/lifecycle/members/memberLifecycles";
import { describeStep } from "../../../../../provider/lifecycle/walks/describePlan";
import { notReady } from "../../../../support/lifecycle/decisionTable";
import { podView } from "../../../../support/lifecycle/inWords";
import { claimOf, type Deviation, observed } from "../../../../support/lifecycle/observations";
import { plannedRollout, plannedScale } from "../../../../support/lifecycle/planned";
import type { Component } from "../../../../../topology/members";
import { repeats } from "../../../../support/repeats";

const { tikv } = memberLifecycles;

const removed = "mark its volumes as released";
const stops = "graceful shutdown";
/** The plan's texts for each member: its restart beside others, the risk if it is the only one, its removal, and both estimates. */
const words: [
    Component,
    restart: string,
    risk: string | undefined,
    removal: string,
    restarts: number,
    leaves: number,
][] = [
    ["tidb", "delete pod", "the only TiDB: no SQL during the restart", stops, 30, 30],
    ["tiproxy", "delete pod", "the only TiProxy: no SQL through it during the restart", stops, 30, 30],
    [
        "pump",
        "delete pod",
        "the only pump: TiDB cannot write its binlog during the restart",
        "take its pump offline once the drainers have received its binlogs, mark its volumes as released",
        30,
        60,
    ],
    [
        "ticdc",
        "move its tables to other captures, delete pod",
        "the only TiCDC: changes are not replicated during the restart",
        `move its tables to other captures, ${stops}`,
        90,
        60,
    ],
    [
        "tiflash",
        "delete pod",
        "the only TiFlash store: queries read from TiKV during the restart, or fail",
        `remove store 22, move its 1500 regions, ${removed}`,
        30,
        1500 / 4,
    ],
    [
        "tikv",
        "evict 500 leaders, delete pod, end the eviction",
        "the only store: nothing can be read or written during the restart",
        `remove store 12, move its 1500 regions, ${removed}`,
        Math.ceil(30 + 500 / 20 + (500 * 2) / 3 / 12),
        1500 / 4,
    ],
    ["pd", "delete pod", "PD has no quorum during the restart", `remove the member from PD, ${removed}`, 30, 30],
    ["tso", "delete pod", "tso has no primary until another server takes over", stops, 30, 30],
];

/** The members whose pods have volumes that are released with them. */
const withVolumes: readonly Component[] = ["pump", "tiflash", "tikv", "pd"];

describe("what the plan says about a member", () => {
    for (const [component, restart, risk, removal, restarts, leaves] of words) {
        const claims = withVolumes.includes(component) ? [claimOf(component, 2)] : [];
        it(`${component}: ${restart}; and for its removal: ${removal}`, () => {
            const { observation, target } = observed(component, { live: 3, stale: [2], claims, maxReplicas: 2 });
            const [step] = plannedRollout(observation, target);
            assert.equal(step.does.join(", "), restart);
            assert.equal(step.estimateSeconds, restarts);
            const [leaving] = plannedScale(observation, { ...target, replicas: 2 });
            assert.equal(leaving.does.join(", "), removal);
            assert.equal(leaving.estimateSeconds, leaves);
        });
        it(`${component}: ${risk ?? "no risk"} if it is the only one`, () => {
            const notPd = component === "pd" ? { notMembers: [1, 2] } : {};
            const { observation, target } = observed(component, { live: 1, stale: [0], ...notPd });
            const [step] = plannedRollout(observation, target);
            assert.deepEqual([step.does.join(", "), step.risk], ["delete pod", risk]);
        });
        it(`${component}: no risk with three pods`, () =>
            assert.equal(memberLifecycles[component].restartRisk(podView(component, 1, { live: 3 })), undefined));
    }
});

describe("the restart of a TiKV", () => {
    const risk = (row: Deviation) => tikv.restartRisk(podView("tikv", 3, row));
    it("puts at risk the regions of which PD keeps too few replicas", () => {
        const one =
            "PD keeps one replica of each region: the store's leaders cannot move elsewhere, and its regions can be neither read nor written during the restart";
        const two =
            "PD keeps two voters of each region: regions with a voter on this store can be neither read nor written during the restart";
        const keeps = (maxReplicas: number) => risk({ maxReplicas, rules: [] });
        assert.deepEqual([keeps(1), keeps(2), keeps(3)], [one, two, undefined]);
        assert.equal(risk({ unknown: ["placement"] }), undefined);
        // After max-replicas was raised from 2 to 3, PD has not counted the regions yet: 2000 with 5979 peers.
        const few = { maxReplicas: 3, rules: [], stores: { 0: { regionCount: 1479 } } };
        repeats(risk(few), "3 voters");
        assert.equal(risk({ ...few, leadership: null }), undefined);
    });
    const planned = (row: Deviation) => {
        const { observation, target } = observed("tikv", { stale: [3], ...row });
        return plannedRollout(observation, target)[0];
    };
    it("moves no leaders if nothing runs", () => {
        const does = (row: Deviation) => planned(row).does;
        assert.deepEqual(does({}), ["evict 500 leaders", "delete pod", "end the eviction"]);
        assert.deepEqual(does({ pods: { 3: notReady } }), ["delete pod"]);
        assert.deepEqual(does({ pods: { 3: notReady }, stores: { 3: undefined } }), ["delete pod"]);
    });
    it("has no actions if PD lists no store of a pod that runs: the update waits there", () => {
        assert.deepEqual(planned({ stores: { 3: undefined } }).does, []);
    });
    it("says after which time the user lets the store restart with its leaders", () => {
        const policy = { evictLeaderTimeoutSeconds: 60, afterEvictLeaderTimeout: "restart" } as const;
        repeats(describeStep(planned({ policy })), "after 60 s");
    });
    it("takes longer if leaders come back: fewer than 200 are not waited for", () => {
        const seconds = (reported: number) => planned({ stores: { 3: { leaderCount: { reported } } } }).estimateSeconds;
        assert.deepEqual([0, 100, 199, 200, 1_800].map(seconds), [30, 35, 40, 52, 220]);
    });
});
