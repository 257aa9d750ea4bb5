import * as assert from "node:assert/strict";
import type { FailoverPolicy } from "../../../../provider/lifecycle/vocabulary/memberFailover";
import { createGate } from "../../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import {
    crashed,
    crashLoop,
    failed,
    found as deaths,
    hangs,
    lostNode,
    minutes,
    policy,
    readyBetweenCrashes,
    unreadNode,
    unscheduled,
} from "../../../support/lifecycle/deaths";
import type { Deviation } from "../../../support/lifecycle/observations";
import { clusterWorld, type ClusterWorld, leaseOf, told as clusterTold } from "../../gates/clusterWorld";
import { stepsIn } from "../../../support/gates/stepsIn";

const silent = "connect ECONNREFUSED";
const dead = (...ordinals: number[]): Deviation => ({
    live: 3,
    pods: Object.fromEntries(ordinals.map((one) => [one, lostNode()])),
    tidb: Object.fromEntries(ordinals.map((one) => [one, silent])),
});

const found = (row: Deviation, more?: Partial<FailoverPolicy>) => deaths("tidb", row, more);

describe("a failed TiDB", () => {
    it("is replaced by one more pod", () => assert.deepEqual(found(dead(1)).dead, ["basic-tidb-1"]));
    it("is replaced if its process ends and ends again", () =>
        assert.deepEqual(found({ ...dead(1), pods: { 1: crashed() } }).dead, ["basic-tidb-1"]));
    it("is replaced if it crashes again and again, although it is Ready for seconds after each restart", () =>
        assert.deepEqual(found({ ...dead(1), pods: { 1: crashLoop(30_000, 5 * minutes) } }).dead, ["basic-tidb-1"]));
    it("counts as vanished in the seconds in which it is Ready between two crashes", () => {
        const loops = { 0: crashLoop(30_000, 5 * minutes), 1: readyBetweenCrashes() };
        assert.ok(found({ ...dead(0), pods: loops }, { budget: 1 }).kept.includes("vanished-together"));
    });
    it("is replaced for each of two that failed", () =>
        assert.deepEqual(found(dead(0, 1)).dead, ["basic-tidb-0", "basic-tidb-1"]));
    it("is replaced within the budget", () => {
        const early = { ...dead(0, 1), pods: { 0: lostNode(60 * minutes), 1: lostNode() } };
        assert.deepEqual(found(early, { budget: 1 }).dead, ["basic-tidb-0"]);
        assert.deepEqual(found(dead(0, 1), { budget: 1 }).dead, [], "two vanished within one period");
        assert.deepEqual(found(dead(1), { budget: 0 }).dead, []);
    });

    const not: [string, Deviation, why: string][] = [
        ["that was never scheduled", { ...dead(1), pods: { 1: unscheduled() } }, "alive"],
        ["for less than the period", { ...dead(1), pods: { 1: lostNode(4 * minutes) } }, "dying"],
        ["that answers on /status", { live: 3, pods: { 1: lostNode() } }, "alive"],
        ["that Kubernetes reports as running", { ...dead(1), pods: { 1: hangs } }, "alive"],
        ["whose node may not be read", { ...dead(1), pods: { 1: unreadNode } }, "unknown"],
        ["without PD's quorum", { ...dead(1), unhealthy: [0, 1] }, "evidence-unsound"],
    ];
    for (const [title, row, why] of not) {
        it(`is not one ${title}`, () => {
            const { dead: names, kept } = found(row);
            assert.deepEqual([names, kept], [[], [why]]);
        });
    }
});

describe("TiDB failover in the gate", () => {
    const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };
    const told = (more: object = {}) =>
        clusterTold({
            gate: "scale",
            component: "tidb",
            desiredReplicas: 3,
            policy: defaultPolicy,
            failover: policy,
            fixed,
            ...more,
        });
    const outs = (replicas: number) => ({ ...told(), replicas, plan: [], deferred: "" });
    const world = (tidb: Deviation, failovers?: ReturnType<typeof failed>): ClusterWorld =>
        clusterWorld({ live: { tidb }, lease: leaseOf(failovers ? { records: { ...noRecords(), failovers } } : {}) });
    const scale = (of: ClusterWorld) => createGate(scaleGateDefinition, of);

    it("adds one pod for each that failed, and records which", async () => {
        const of = world(dead(0, 2));
        const { inputs } = await scale(of).check(outs(3), told());
        assert.deepEqual(
            (inputs.plan as string[]).map((line) => line.split(" (")[0]),
            ["replace basic-tidb-0", "replace basic-tidb-2"],
        );
        assert.equal(inputs.replicas, 5);
        assert.equal((await scale(of).update("", outs(3), inputs)).outs.replicas, 5);
        assert.deepEqual(Object.keys(of.lease!.records.failovers!.tidb!.failures), ["basic-tidb-0", "basic-tidb-2"]);
    });

    it("recovers by itself once all are back: one pod less, without being asked", async () => {
        const of = world({ live: 4 }, failed("tidb", 1));
        const { inputs, plan } = await scale(of).planOf(outs(4), told());
        assert.deepEqual(stepsIn(plan), ["remove basic-tidb-3"]);
        assert.equal(inputs.replicas, 3);
        assert.equal((await scale(of).update("", outs(4), inputs)).outs.replicas, 3);
        assert.equal(of.lease!.records.failovers, undefined);
    });

    it("goes on while one is still gone, or does not answer", async () => {
        for (const row of [
            { ...dead(1), live: 4 },
            { live: 4, tidb: { 1: silent } },
        ]) {
            const { inputs } = await scale(world(row, failed("tidb", 1))).check(outs(4), told());
            assert.deepEqual([inputs.plan, inputs.replicas], [[], 4]);
        }
    });
});
