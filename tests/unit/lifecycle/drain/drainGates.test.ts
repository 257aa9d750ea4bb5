import * as assert from "node:assert/strict";
import { createGate } from "../../../../provider/gates/gate";
import { rolloutGateDefinition } from "../../../../provider/gates/rolloutGate";
import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import type { ObservedPod } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { bound, nowhere, onDrained, onKept, unreadNode } from "../../../support/lifecycle/drains";
import { clusterWorld, type ClusterWorld, told as clusterTold } from "../../gates/clusterWorld";
import { drainedWorld } from "./drainedWorld";
import { failsWith } from "../../../support/failsWith";
import { repeats } from "../../../support/repeats";

const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };
const told = (more: object = {}) =>
    clusterTold({
        gate: "rollout",
        component: "tikv",
        desiredReplicas: 4,
        templateRevision: "new-template",
        policy: { ...defaultPolicy, evictionWindow: false },
        fixed,
        ...more,
    });
const olds = { ...told(), replicas: 4, plan: [] as string[], deferred: "" };
const gateOf = (of: ClusterWorld) => createGate(rolloutGateDefinition, of);
const world = (pod: Partial<ObservedPod>) => clusterWorld({ live: { tikv: { pods: { 3: pod } } } });
const acted = ({ done }: ClusterWorld) => done.filter((one) => /^[a-z]+-[a-z-]+$/.test(one));

describe("a node that is being emptied, in `pulumi up`", () => {
    it("shows the move in the preview", async () => {
        const of = world(onDrained());
        const { inputs } = await gateOf(of).check(olds, told());
        assert.deepEqual(inputs.plan, [
            "move basic-tikv-3 (node node-1, which is cordoned): evict 500 leaders, delete pod, which starts on another node, end the eviction; until Ready, store Up (~83 s)",
        ]);
        assert.deepEqual(inputs.moves, { "basic-tikv-3": "uid-3" });
        assert.deepEqual(await gateOf(of).diff("", olds, inputs), { changes: true });
    });

    it("moves the pod: leaders first, then the pod, then the leaders come back", async () => {
        const of = drainedWorld();
        const { inputs } = await gateOf(of).check(olds, told());
        const { outs } = await gateOf(of).update("", olds, inputs);
        assert.deepEqual(acted(of), [
            "begin-eviction",
            "delete-pod",
            "end-eviction",
            "note-eviction-gone",
            "forget-eviction",
        ]);
        assert.equal(of.deleted?.leaves, "node-1");
        const after = await gateOf(of).check(outs, told());
        assert.deepEqual(after.inputs.plan, []);
        assert.deepEqual(await gateOf(of).diff("", outs, after.inputs), { changes: false });
    });

    it("ends the eviction and leaves the pod if the node is uncordoned meanwhile", async () => {
        const of = drainedWorld();
        const follow = of.changes;
        of.changes = (action: Action) => {
            follow(action);
            if (action.do === "begin-eviction") {
                of.live.tikv = { ...of.live.tikv, pods: { 3: onKept } };
            }
        };
        const { inputs } = await gateOf(of).check(olds, told());
        await gateOf(of).update("", olds, inputs);
        assert.deepEqual(acted(of), ["begin-eviction", "end-eviction", "note-eviction-gone", "forget-eviction"]);
    });

    it("fails and ends the eviction if the only other node is taken meanwhile", async () => {
        const of = drainedWorld();
        const follow = of.changes;
        of.changes = (action: Action) => {
            follow(action);
            if (action.do === "begin-eviction") {
                of.live.tikv = { ...of.live.tikv, pods: { 3: onDrained(nowhere) } };
            }
        };
        const { inputs } = await gateOf(of).check(olds, told());
        await failsWith(gateOf(of).update("", olds, inputs), "room-elsewhere", { target: "basic-tikv-3" });
        assert.deepEqual(acted(of), ["begin-eviction", "end-eviction", "forget-eviction"]);
    });

    it("begins nothing for a node that was cordoned after the plan", async () => {
        const of = drainedWorld();
        await gateOf(of).update("", olds, { ...told(), plan: ["something else"], deferred: "", replicas: 4 });
        assert.deepEqual(acted(of), []);
    });

    const kept: [what: string, pod: Partial<ObservedPod>, names: string][] = [
        ["whose volume is on the node", onDrained(bound), "tikv-basic-tikv-3"],
        ["that no other node takes", onDrained(nowhere), "2 without room"],
    ];
    for (const [what, pod, names] of kept) {
        it(`has no step for a pod ${what}, and remarks it`, async () => {
            const of = world(pod);
            const report = await gateOf(of).planOf(olds, told());
            assert.deepEqual(report.plan, []);
            repeats(report.remarks, "basic-tikv-3", names);
            assert.deepEqual(await gateOf(of).diff("", olds, report.inputs), { changes: false });
        });
    }

    it("says nothing where nodes may not be read, and asks no more", async () => {
        const of = world(unreadNode);
        const report = await gateOf(of).planOf(olds, told());
        assert.deepEqual([report.plan, report.remarks, of.looks.length], [[], [], 1]);
    });

    it("reads no node with `operations.drain: off`", async () => {
        const of = world(onKept);
        const report = await gateOf(of).planOf(olds, told({ drain: "off" }));
        assert.deepEqual(report.plan, []);
        assert.ok(of.looks.every(({ drains }) => drains === undefined));
        // The option alone runs no gate.
        assert.deepEqual(await gateOf(of).diff("", olds, report.inputs), { changes: false });
    });

    it("without a node that is being emptied it asks for nothing but the nodes, and its inputs are those of earlier versions", async () => {
        const of = world(onKept);
        const { inputs } = await gateOf(of).check(olds, told());
        assert.equal("moves" in inputs, false);
        assert.deepEqual(
            of.looks.map(({ drains, rooms, pd }) => [drains, rooms, pd]),
            [[true, undefined, []]],
        );
    });

    it("needs consent where `operations.approval` asks for it", async () => {
        const of = world(onDrained());
        const { inputs } = await gateOf(of).check(olds, told({ approval: "step" }));
        repeats(inputs.plan, "lets through: move basic-tikv-3");
    });

    it("while PD does not answer it moves nothing", async () => {
        const of = clusterWorld({ live: { tikv: { pods: { 3: onDrained() }, pdSilent: true } } });
        const { inputs } = await gateOf(of).check(olds, told());
        assert.deepEqual(inputs.plan, []);
    });
});
