import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../../provider/cluster/apiCall";
import { createGate } from "../../../../provider/gates/gate";
import { readyGateDefinition } from "../../../../provider/gates/readyGate";
import { rolloutGateDefinition } from "../../../../provider/gates/rolloutGate";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { deadStores, downFor, failed, lostNode, minutes, policy } from "../../../support/lifecycle/deaths";
import { lostTikv } from "../../../support/lifecycle/lostVolumes";
import { claimOf, type Deviation } from "../../../support/lifecycle/observations";
import { clusterWorld, type ClusterWorld, leaseOf, told as clusterTold } from "../../gates/clusterWorld";
import { failsWith } from "../../../support/failsWith";
import { codesOf, repeats } from "../../../support/repeats";
import { stepsIn } from "../../../support/gates/stepsIn";

const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };
const toldOf = (gate: string, more: object = {}) =>
    clusterTold({
        gate,
        component: "tikv",
        desiredReplicas: 4,
        policy: defaultPolicy,
        failover: policy,
        fixed,
        ...more,
    });
const told = (more: object = {}) => toldOf("scale", more);
const world = (tikv: Deviation, failovers?: ReturnType<typeof failed>): ClusterWorld =>
    clusterWorld({
        live: { tikv },
        lease: leaseOf(failovers ? { records: { ...noRecords(), failovers } } : {}),
    });
const outsOf = (more: object = {}) => ({ ...told(more), replicas: 4, plan: [] as string[], deferred: "" });
const scale = (of: ClusterWorld) => createGate(scaleGateDefinition, of);
const rollout = (of: ClusterWorld) => createGate(rolloutGateDefinition, of);

/** One update as Pulumi makes it: check, then the steps, then the StatefulSet. */
async function update(
    of: ClusterWorld,
    olds: Record<string, unknown>,
    news = told(),
): Promise<Record<string, unknown>> {
    const gate = scale(of);
    const { inputs } = await gate.check(olds, news);
    const { changes } = await gate.diff("", olds, inputs);
    return changes ? (await gate.update("", olds, inputs)).outs : olds;
}

describe("TiKV failover in the gates", () => {
    it("shows the replacement in the preview: which store, why, and what comes in its place", async () => {
        const { inputs, failures } = await scale(world(deadStores(1))).check(outsOf(), told());
        assert.deepEqual(inputs.plan, [
            "replace basic-tikv-1 (store 11 (basic-tikv-1) is dead: PD says Down, and node node-1 is not Ready (NodeStatusUnknown)): add basic-tikv-4; until basic-tikv-4 is Ready, store Up (~30 s)",
        ]);
        assert.deepEqual([failures, inputs.replicas], [undefined, 5]);
        assert.deepEqual(await scale(world(deadStores(1))).diff("", outsOf(), inputs), { changes: true });
    });

    it("does not replace what an earlier gate of the update gives up with a node that is gone: it starts empty", async () => {
        const news = told({ lostNodes: ["node-1"] });
        const due = { ...lostTikv, stores: { 1: downFor(6 * minutes) } };
        const { inputs } = await scale(world(due)).check(outsOf(), news);
        assert.deepEqual([inputs.plan, inputs.replicas], [[], 4]);
        const kept = { ...due, maxReplicas: 4 };
        for (const [seen, asked] of [
            [kept, news],
            [due, told()],
        ] as const) {
            const { plan } = await scale(world(seen)).planOf(outsOf(), asked);
            assert.deepEqual(stepsIn(plan), ["replace basic-tikv-1"]);
        }
    });

    it("ties the replacement to its store: the store's id, the pod and the claims by their UIDs", async () => {
        const live = world({ ...deadStores(1), claims: [claimOf("tikv", 1), claimOf("tikv", 2)] });
        const outs = await update(live, outsOf());
        assert.equal(outs.replicas, 5);
        const { uid, failures } = live.lease!.records.failovers!.tikv!;
        assert.match(uid, /^[0-9a-f]{12}$/);
        assert.deepEqual(failures, {
            "basic-tikv-1": {
                podUid: "uid-1",
                claims: [{ name: "tikv-basic-tikv-1", uid: "claim-1" }],
                storeId: 11,
                replacedBy: "basic-tikv-4",
                at: live.time,
                counts: true,
            },
        });
        assert.deepEqual(
            live.done.filter((one) => !one.startsWith("record that")),
            [
                ...["lock", "records", "note-failure", "release"],
                "next, StatefulSet basic-tikv starts basic-tikv-4 (from 4 to 5 replicas)",
            ],
            "nothing in the cluster is changed but the record",
        );
    });

    it("changes no object in the next update with the old program: the record makes the same number of replicas", async () => {
        const live = world(deadStores(1));
        const outs = await update(live, outsOf());
        live.live.tikv = { live: 5, ...deadStores(1) };
        const after = await scale(live).check(outs, told());
        assert.deepEqual([after.inputs.plan, after.inputs.replicas], [[], 5]);
        assert.deepEqual(await scale(live).diff("", outs, after.inputs), { changes: false });
    });

    it("goes on after a kill between the record and the StatefulSet", async () => {
        const live = world(deadStores(1), failed("tikv", 1));
        const { inputs } = await scale(live).check(outsOf(), told());
        assert.deepEqual([inputs.plan, inputs.replicas], [[], 5]);
        assert.deepEqual(await scale(live).diff("", outsOf(), inputs), { changes: true });
        assert.equal((await update(live, outsOf())).replicas, 5);
        assert.deepEqual(Object.keys(live.lease!.records.failovers!.tikv!.failures), ["basic-tikv-1"]);
    });

    it("takes no step that the plan did not show: a store that dies after the check waits for the next update", async () => {
        const live = world({});
        const { inputs } = await scale(live).check(outsOf(), told({ desiredReplicas: 5 }));
        live.live.tikv = deadStores(1);
        assert.equal((await scale(live).update("", outsOf(), inputs)).outs.replicas, 5);
        assert.equal(live.lease!.records.failovers, undefined);
    });

    it("takes back its plan if the store is Up again before the step", async () => {
        const live = world(deadStores(1));
        const { inputs } = await scale(live).check(outsOf(), told());
        live.live.tikv = {};
        assert.equal((await scale(live).update("", outsOf(), inputs)).outs.replicas, 4);
        assert.equal(live.lease!.records.failovers, undefined);
    });

    it("keeps the number of replicas where the Lease cannot be read", async () => {
        const silent = clusterWorld({ failure: new KubernetesApiError("gone", undefined) });
        const { inputs } = await scale(silent).check({ ...outsOf(), replicas: 5 }, told());
        assert.equal(inputs.replicas, 5);
        const { inputs: more } = await scale(silent).check({ ...outsOf(), replicas: 5 }, told({ desiredReplicas: 6 }));
        assert.equal(more.replicas, 7);
    });

    it("says when a store would be replaced, and does not wait for it", async () => {
        const live = world({ pods: { 1: lostNode() }, stores: { 1: downFor(2 * minutes) } });
        const report = await scale(live).planOf(outsOf(), told());
        assert.deepEqual(report.plan, []);
        repeats(report.remarks, "store 11 (basic-tikv-1)", "3 minutes");
    });

    it("costs nothing while all pods are Ready", async () => {
        const live = world({});
        await scale(live).check(outsOf(), told());
        assert.equal(live.looks.length, 1);
        assert.deepEqual(live.looks[0].pd, []);
    });

    it("leaves a first deployment alone whose PD does not answer yet", async () => {
        const live = world({ pods: { 1: lostNode() }, pdSilent: true });
        const { inputs } = await scale(live).check(outsOf(), told());
        assert.deepEqual([inputs.plan, inputs.deferred, inputs.replicas], [[], "", 4]);
    });

    it("removes a replacement whose record is lost only by the gates' way, and records a dead store anew", async () => {
        const lost = world({ live: 5 });
        const { plan } = await scale(lost).planOf({ ...outsOf(), replicas: 5 }, told());
        assert.deepEqual(stepsIn(plan), ["remove basic-tikv-4"]);
        const dead = world({ live: 5, ...deadStores(1) });
        const anew = await scale(dead).planOf({ ...outsOf(), replicas: 5 }, told());
        assert.deepEqual([stepsIn(anew.plan), anew.inputs.replicas], [["replace basic-tikv-1"], 5]);
    });
});

describe("a dead store on record", () => {
    const live = { live: 5, ...deadStores(1) };

    it("is not waited for by the gate after the StatefulSet, and neither by the last gate", async () => {
        const of = world(live, failed("tikv", 1));
        const { inputs } = await rollout(of).check({}, toldOf("rollout"));
        assert.deepEqual(inputs.plan, []);
        await rollout(of).update("", {}, inputs);
        const members = [{ component: "tikv", replicas: 4, policy: defaultPolicy }];
        const ready = createGate(readyGateDefinition, of);
        const checked = await ready.check({}, toldOf("ready", { members }));
        assert.deepEqual(checked.inputs.plan, []);
        await ready.update("", {}, checked.inputs);
    });

    it("is foreseen by the last gate: the preview does not say that the update waits for it", async () => {
        const members = [{ component: "tikv", replicas: 4, policy: defaultPolicy }];
        const ready = createGate(readyGateDefinition, world(deadStores(1)));
        const { inputs } = await ready.check({}, toldOf("ready", { members, failovers: { tikv: policy } }));
        assert.deepEqual(inputs.plan, ["wait for basic-tikv-4: it does not exist"]);
    });

    it("still holds every restart of another store", async () => {
        const of = world({ ...live, stale: [2] }, failed("tikv", 1));
        const { inputs, plan } = await rollout(of).planOf({}, toldOf("rollout"));
        const [fails, ...steps] = plan;
        assert.ok(fails.is === "held");
        assert.equal(fails.where, "fails at other-stores-up of basic-tikv-2");
        assert.deepEqual(stepsIn(steps), ["restart basic-tikv-2"]);
        const began = of.time;
        await failsWith(rollout(of).update("", {}, inputs), "replaced-store-down", {
            ...{ step: "other-stores-up", target: "basic-tikv-2" },
            names: "store 11 (basic-tikv-1)",
        });
        assert.ok(!of.done.includes("delete-pod"));
        assert.ok(of.time - began < 60_000, "it says so at once");
    });

    it("is foreseen to hold them in the update that replaces it, and holds no step that restarts nothing", async () => {
        const heldIn = async (row: object) => {
            const of = world({ ...deadStores(1), ...row });
            const { plan } = await rollout(of).planOf({}, { ...toldOf("rollout"), plan: [], deferred: "" });
            return plan.flatMap((item) => (item.is === "held" ? item.where : []));
        };
        assert.deepEqual(await heldIn({ stale: [2] }), ["fails at other-stores-up of basic-tikv-2"]);
        assert.deepEqual(await heldIn({}), []);
    });

    it("holds restarts before it is on record too: the roll-out says so, and gives way to the next update", async () => {
        const of = world({ ...deadStores(1), stale: [2] });
        const began = of.time;
        const update = rollout(of).update("", {}, { ...toldOf("rollout"), plan: [], deferred: "" });
        await failsWith(update, "member-dead", { names: "store 11 (basic-tikv-1)" });
        assert.ok(!of.done.includes("delete-pod"));
        assert.ok(of.time - began < 60_000);
    });

    it("is waited for by a roll-out as long as it may only be slow", async () => {
        const of = world({ stale: [2], pods: { 1: lostNode(minutes) }, stores: { 1: { state: "Disconnected" } } });
        const began = of.time;
        const inputs = { ...toldOf("rollout"), plan: [], deferred: "" };
        await assert.rejects(rollout(of).update("", {}, inputs), /basic-tikv-1 is not Ready, for 60\d s/);
        assert.ok(of.time - began >= 600_000);
    });

    it("is foreseen by the gate after the StatefulSet: it shows the new pod, and no start of the dead one", async () => {
        const { inputs } = await rollout(world(deadStores(1))).check({}, toldOf("rollout"));
        assert.deepEqual(
            (inputs.plan as string[]).map((line) => line.split(":")[0].split(";")[0]),
            ["start basic-tikv-4 (does not exist yet)"],
        );
    });
});

describe("the way back of TiKV", () => {
    const back = { live: 5 };
    const remark = async (of: ClusterWorld, more = {}) => (await scale(of).planOf(outsOf(), told(more))).remarks;

    it("is asked for once the dead one returns with its data: it is not doubled, and nothing is removed", async () => {
        const of = world(back, failed("tikv", 1));
        const { inputs } = await scale(of).check({ ...outsOf(), replicas: 5 }, told());
        assert.deepEqual([inputs.plan, inputs.replicas], [[], 5]);
        repeats(await remark(of), "basic-tikv-9 for basic-tikv-1", 'spec.tikv.failover.recoverByUID to "f00d"');
    });

    it("is not begun by a mistyped UID, which draws a warning; without a failure on record nobody knows that it is mistyped", async () => {
        const asked = (uid: string) => told({ failover: { ...policy, recoverByUid: uid } });
        const warnings = async (of: ClusterWorld, uid: string) =>
            codesOf((await scale(of).planOf(outsOf(), asked(uid))).warnings);
        assert.deepEqual(await warnings(world(back, failed("tikv", 1)), "f00e"), ["failover-uid-unknown"]);
        assert.deepEqual(await warnings(world(back, failed("tikv", 1)), "f00d"), []);
        assert.deepEqual(await warnings(world({}), "f00e"), []);
    });

    for (const [title, recover] of [
        ["recoverFailover", { recovers: true }],
        ["failover.recoverByUID", { recoverByUid: "f00d" }],
    ] as const) {
        it(`is a scale-in with all its rules, with ${title}`, async () => {
            const of = world(back, failed("tikv", 1));
            of.changes = (action) => {
                if (action.do === "remove-store") {
                    of.live.tikv = { ...back, stores: { 4: undefined }, tombstones: [tombstone(action.storeId)] };
                }
            };
            const news = told({ failover: { ...policy, ...recover } });
            const { inputs, plan } = await scale(of).planOf({ ...outsOf(), replicas: 5 }, news);
            assert.deepEqual(stepsIn(plan), ["remove basic-tikv-4"]);
            assert.equal(inputs.replicas, 4);
            const { outs } = await scale(of).update("", { ...outsOf(), replicas: 5 }, inputs);
            assert.equal(outs.replicas, 4);
            assert.ok(of.done.indexOf("remove-store") < of.done.indexOf("forget-failures"), of.done.join());
            assert.equal(of.lease!.records.failovers, undefined);
        });
    }

    const not: [string, Deviation, object][] = [
        ["with the UID of another failover", back, { recoverByUid: "beef" }],
        ["while the dead one is still gone", { ...back, ...deadStores(1) }, { recovers: true }],
        ["while another store is not Up", { ...back, stores: { 2: { state: "Disconnected" } } }, { recovers: true }],
        ["while a pod is not Ready", { ...back, pods: { 2: { ready: false } } }, { recovers: true }],
        ["while PD does not answer", { ...back, pdSilent: true }, { recovers: true }],
    ];
    for (const [title, tikv, recover] of not) {
        it(`does not begin ${title}`, async () => {
            const news = told({ failover: { ...policy, ...recover } });
            const { inputs } = await scale(world(tikv, failed("tikv", 1))).check({ ...outsOf(), replicas: 5 }, news);
            assert.deepEqual([inputs.plan, inputs.replicas], [[], 5]);
        });
    }

    it("does not go below what PD's replicas need, and refuses no update for it: the program asks for no fewer stores", async () => {
        const of = world({ live: 5, maxReplicas: 5 }, failed("tikv", 1));
        const news = told({ failover: { ...policy, recovers: true } });
        const { failures, inputs } = await scale(of).check({ ...outsOf(), replicas: 5 }, news);
        assert.equal(failures, undefined);
        assert.equal(inputs.replicas, 5);
    });
});

describe("a program that no longer asks for the dead store's pod", () => {
    it("drops its record, after the scale-in", async () => {
        const of = world({ live: 3 }, failed("tikv", 3));
        const { inputs } = await scale(of).check({ ...outsOf(), desiredReplicas: 3 }, told({ desiredReplicas: 3 }));
        assert.deepEqual(inputs.plan, ["delete the record of failures that no longer count"]);
        assert.equal(inputs.replicas, 3);
        assert.equal((await scale(of).update("", outsOf(), inputs)).outs.replicas, 3);
        assert.equal(of.lease!.records.failovers, undefined);
    });
});

function tombstone(id: number): NonNullable<Deviation["tombstones"]>[number] {
    const pod = `basic-tikv-${id - 10}`;
    return {
        id,
        podName: pod,
        address: `${pod}.basic-tikv-peer.tidb.svc:20160`,
        own: true,
        engine: "tikv",
        state: "Tombstone",
        labels: {},
        leaderCount: { reported: 0 },
        regionCount: 0,
        startedAt: Infinity,
        pendingPeers: 0,
    };
}
