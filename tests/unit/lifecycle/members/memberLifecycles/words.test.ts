import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../../../provider/lifecycle/members/memberLifecycles";
import { notReady } from "../../../../support/lifecycle/decisionTable";
import { podView } from "../../../../support/lifecycle/inWords";
import { type Deviation } from "../../../../support/lifecycle/observations";
import type { Component } from "../../../../../topology/members";

const { tikv } = memberLifecycles;

/** The plan's texts for each member: before its restart, the risk if it is the only one, its removal, and both estimates. */
const words: [Component, does: string[], risk: string | undefined, removal: string, restart: number, remove: number][] =
    [
        ["tidb", [], "the only TiDB: no SQL during the restart", "graceful shutdown", 30, 30],
        ["tiproxy", [], "the only TiProxy: no SQL through it during the restart", "graceful shutdown", 30, 30],
        [
            "pump",
            [],
            "the only pump: TiDB cannot write its binlog during the restart",
            "take its pump offline once the drainers have received its binlogs",
            30,
            60,
        ],
        [
            "ticdc",
            ["move its tables to other captures"],
            "the only TiCDC: changes are not replicated during the restart",
            "move its tables to other captures",
            60,
            60,
        ],
        [
            "tiflash",
            [],
            "the only TiFlash store: queries read from TiKV during the restart, or fail",
            "remove store 20, move its 1500 regions, wait for Tombstone",
            30,
            1500 / 4,
        ],
        [
            "tikv",
            [],
            "the only store: nothing can be read or written during the restart",
            "remove store 10, move its 1500 regions, wait for Tombstone",
            20,
            1500 / 4,
        ],
        [
            "pd",
            ["no leadership transfer: no other member is healthy"],
            "PD has no quorum during the restart",
            "remove the member from PD",
            15,
            5,
        ],
        [
            "tso",
            ["no transfer of the primary: no other server can take over"],
            "tso has no primary until another server takes over",
            "graceful shutdown",
            15,
            15,
        ],
    ];

describe("what the plan says about a member", () => {
    for (const [component, does, risk, removal, restart, remove] of words) {
        const lifecycle = memberLifecycles[component];
        const notPd = component === "pd" ? { notMembers: [1, 2] } : {};
        it(`${component}: ${risk ?? removal}`, () => {
            const one = podView(component, 0, { live: 1, ...notPd });
            assert.deepEqual(lifecycle.restartDoes(one), does);
            assert.equal(lifecycle.restartRisk(one), risk);
            assert.equal(lifecycle.removalDoes(one), removal);
            assert.equal(lifecycle.estimateRestartSeconds(one), restart);
            assert.equal(lifecycle.estimateRemovalSeconds(one), remove);
        });
        it(`${component}: no risk with three pods`, () =>
            assert.equal(lifecycle.restartRisk(podView(component, 1, { live: 3 })), undefined));
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
        assert.match(risk(few) ?? "", /^PD has not given each region its 3 voters yet: those with two /);
        assert.equal(risk({ ...few, leadership: null }), undefined);
    });
    it("moves no leaders if nothing runs or PD lists no store", () => {
        const does = (row: Deviation) => tikv.restartDoes(podView("tikv", 3, row));
        assert.deepEqual(does({}), ["evict 500 leaders (~25 s)"]);
        assert.deepEqual([does({ pods: { 3: notReady } }), does({ stores: { 3: undefined } })], [[], []]);
    });
    it("says after which time the user lets the store restart with its leaders", () => {
        const policy = { evictLeaderTimeoutSeconds: 60, afterEvictLeaderTimeout: "restart" } as const;
        const [evicts] = tikv.restartDoes(podView("tikv", 3, { policy }));
        assert.equal(
            evicts,
            "evict 500 leaders (~25 s; after 60 s the store restarts with the leaders that it still has)",
        );
    });
    it("takes longer if leaders come back: fewer than 200 are not waited for", () => {
        const seconds = (reported: number) =>
            tikv.estimateRestartSeconds(podView("tikv", 3, { stores: { 3: { leaderCount: { reported } } } }));
        assert.deepEqual([seconds(0), seconds(100), seconds(200), seconds(1_800)], [20, 25, 30 + 400 / 3 / 12, 210]);
        assert.equal(tikv.estimateRestartSeconds(podView("tikv", 3, { stores: { 3: undefined } })), 20);
        assert.equal(tikv.estimateRemovalSeconds(podView("tikv", 3, { stores: { 3: undefined } })), 0);
    });
});
