import * as assert from "node:assert/strict";
import { observeMember } from "../../../../provider/cluster/observeStores";
import { createGate } from "../../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import { nextLeavingMove } from "../../../../provider/lifecycle/walks/leaving";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import {
    crashed,
    deadStores,
    downFor,
    failed,
    found,
    lostNode,
    minutes,
    policy,
} from "../../../support/lifecycle/deaths";
import { claimOf, type Deviation, inShort, observed, storeOf } from "../../../support/lifecycle/observations";
import { clusterWorld, leaseOf, scaledByHand, told as clusterTold } from "../../gates/clusterWorld";
import { failsWith } from "../../../support/failsWith";
import { plannedRollout } from "../../../support/lifecycle/planned";

const told = (component: string, desiredReplicas: number, more: object = {}) =>
    clusterTold({
        gate: "scale",
        component,
        desiredReplicas,
        policy: defaultPolicy,
        failover: policy,
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
        ...more,
    } as never);

describe("failover and what an update may do beyond its plan", () => {
    it("does nothing in a paused cluster, whatever the inputs of the last update are", async () => {
        const live = clusterWorld({
            live: { pd: { pods: { 2: lostNode() }, unhealthy: [2], claims: [claimOf("pd", 2)] } },
            lease: leaseOf({}),
        });
        const gate = createGate(scaleGateDefinition, live);
        const lastUpdate = { ...told("pd", 3), replicas: 4, replaces: ["basic-pd-2"], plan: [], deferred: "" };
        const { inputs } = await gate.check(lastUpdate, told("pd", 3, { paused: true }));
        await gate.update("", { ...lastUpdate, replicas: 3 }, inputs);
        assert.deepEqual(live.done, []);
    });

    it("replaces only the pods that the plan names", async () => {
        const live = clusterWorld({ live: { tikv: deadStores(1) }, lease: leaseOf({}) });
        const gate = createGate(scaleGateDefinition, live);
        const olds = { ...told("tikv", 4), replicas: 4, plan: [], deferred: "" };
        const { inputs } = await gate.check(olds, told("tikv", 4));
        assert.deepEqual(inputs.replaces, ["basic-tikv-1"]);
        live.live.tikv = deadStores(2);
        const { outs } = await gate.update("", olds, inputs);
        assert.equal(outs.replicas, 4);
    });

    describe("takes no pod away that the plan does not show, where it makes no replacement that the plan shows", () => {
        /** TiDB pods, of which the program wants 2. */
        const tidb = (live: number, ...dead: number[]): Deviation => ({
            live,
            pods: Object.fromEntries(dead.map((one) => [one, lostNode()])),
            tidb: Object.fromEntries(dead.map((one) => [one, "connect ECONNREFUSED"])),
        });
        for (const [what, then, expected] of [
            ["its pod is back", tidb(4), 3],
            ["another one is down too, which is more than the budget", tidb(4, 0, 1), 3],
            ["its pod is back, and the StatefulSet has no more than the program asks for", tidb(2), 2],
        ] as const) {
            it(`as when ${what}`, async () => {
                const live = clusterWorld({ live: { tidb: tidb(4, 1) }, lease: leaseOf({}) });
                const gate = createGate(scaleGateDefinition, live);
                const news = told("tidb", 2, { failover: { ...policy, budget: 1 } });
                const olds = { ...news, replicas: 4, plan: [], deferred: "" };
                const { inputs } = await gate.check(olds, news);
                const steps = (inputs.plan as string[]).map((line) => line.split(" (")[0]);
                assert.deepEqual([steps, inputs.replicas], [["replace basic-tidb-1", "remove basic-tidb-3"], 3]);
                live.live.tidb = then;
                const { outs } = await gate.update("", olds, inputs);
                assert.equal(outs.replicas, expected);
            });
        }

        it("where the gate itself sets the number that somebody has changed by hand", async () => {
            const live = clusterWorld({ live: { tidb: tidb(4, 1) }, lease: leaseOf({}) });
            scaledByHand(live, "tidb");
            const gate = createGate(scaleGateDefinition, live);
            const news = told("tidb", 2);
            const olds = { ...news, replicas: 2, plan: [], deferred: "" };
            const { inputs } = await gate.check(olds, news);
            live.live.tidb = tidb(4);
            const { outs } = await gate.update("", olds, inputs);
            assert.deepEqual([outs.replicas, live.live.tidb?.live], [3, 3]);
        });
    });

    it("removes no store because all are back, unless the plan has shown it", async () => {
        const recovering = { failover: { ...policy, recovers: true } };
        const records = { ...noRecords(), failovers: failed("tikv", 1) };
        const live = clusterWorld({ live: { tikv: { live: 6, ...deadStores(1) } }, lease: leaseOf({ records }) });
        const gate = createGate(scaleGateDefinition, live);
        const olds = { ...told("tikv", 5, recovering), replicas: 6, plan: [], deferred: "" };
        const { inputs } = await gate.check(olds, told("tikv", 4, recovering));
        const removed: number[] = [];
        live.changes = (action) => {
            if (action.do === "remove-store") {
                removed.push(action.storeId);
                // While it drains, the dead store comes back.
                const gone = removed.map((id) => id - 10);
                live.live.tikv = {
                    live: 6,
                    stores: Object.fromEntries(gone.map((ordinal) => [ordinal, undefined])),
                    tombstones: gone.map((ordinal) => storeOf(ordinal, { state: "Tombstone" })),
                };
            }
        };
        const { outs } = await gate.update("", olds, inputs);
        assert.deepEqual([inputs.replicas, outs.replicas, removed], [5, 5, [15]]);
    });

    it("does not read a Lease that is gone as one without replacements", async () => {
        const ports = { lease: () => Promise.resolve(undefined) } as never;
        const after = scaleGateDefinition.replicasAfter?.(told("tikv", 4) as never, ports);
        await failsWith(Promise.resolve(after), "lease-gone", { step: "replicas" });
    });
});

describe("a replaced store whose process has ended", () => {
    it("gets a corrected template first, which may be what brings it back", () => {
        const row: Deviation = {
            live: 5,
            stale: [0, 1, 2, 3, 4],
            pods: { 1: crashed(60 * minutes) },
            stores: { 1: downFor(6 * minutes) },
            records: { ...noRecords(), failovers: failed("tikv", 1) },
        };
        const { observation, target } = observed("tikv", row);
        assert.equal(inShort(nextRolloutMove(observation, target, emptyMemory)), "restart basic-tikv-1");
        assert.ok(plannedRollout(observation, target).some((step) => step.target === "basic-tikv-1"));
    });
});

describe("what counts as dead", () => {
    it("is no member of which PD's health list has no entry", () => {
        const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
        const member = observeMember({ name: "basic-pd-1", memberId: "1", peerUrls: [] } as never, [], id);
        assert.equal(member.lacksHealth, true);
        const moreMembers = [{ ...member, podName: "basic-pd-1" }];
        assert.deepEqual(found("pd", { pods: { 1: lostNode() }, notMembers: [1], moreMembers }).dead, []);
    });

    it("does not count pods that a higher number of replicas is yet to create", () => {
        const { dead, kept } = found("tikv", deadStores(1), { replicas: 7 });
        assert.deepEqual([dead, kept], [["basic-tikv-1"], []]);
    });
});

describe("a member that leaves the program", () => {
    it("takes its failures off the record, so one that comes later starts without replacements", () => {
        const records = { ...noRecords(), failovers: failed("tiflash", 1) };
        const { observation } = observed("tiflash", { live: 0, records });
        const move = nextLeavingMove(observation, "tiflash", defaultPolicy, undefined, emptyMemory);
        assert.equal(inShort(move), "forget-failures basic-tiflash-1");
    });
});
