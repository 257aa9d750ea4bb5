import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { unknownValue } from "../../../provider/gates/inputs";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import type { Component } from "../../../topology/members";
import { claimOf, tiflashStoreOf } from "../../support/lifecycle/observations";
import { checked, type ClusterWorld, clusterWorld, deployed, leaseOf, other, owner, told } from "./clusterWorld";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";

const all: Component[] = ["pd", "tikv", "tidb"];
const withMember = (component: Component) => ({
    components: [...all, component],
    memberReplicas: { pd: 3, tikv: 4, tidb: 2, [component]: 2 },
});
const without = (component: Component) => ({ components: all.filter((one) => one !== component) });
/** The Lease as it is once the cluster has this member too. */
const noting = (component: Component) => leaseOf({ members: { ...leaseOf().members, [component]: { replicas: 2 } } });
const unreachable = new KubernetesApiError("the API server at https://there did not answer", undefined);

const kinds = ({ done }: ClusterWorld) => done.filter((one) => !/^(records|evict|take|mark|remove) /.test(one));

describe("the ClusterGate when no member leaves", () => {
    it("has no step and does not ask PD", async () => {
        const world = clusterWorld();
        assert.deepEqual((await checked(world, {})).plan, []);
        assert.deepEqual(world.looks, []);
        const gate = createClusterGate(world);
        const { inputs } = await gate.check(deployed(), told());
        assert.deepEqual(await gate.diff("", deployed(), inputs), { changes: false });
    });

    it("notes the owner and the members once, under the lock", async () => {
        const world = clusterWorld({ lease: leaseOf({ owner: undefined, members: undefined }) });
        await createClusterGate(world).create(told());
        assert.deepEqual(world.done, ["lock", "owner acme/shop/prod", "members pd tikv tidb", "release"]);
        assert.deepEqual([world.lease?.owner, world.lease?.members], [owner, leaseOf().members]);
        world.done.length = 0;
        await createClusterGate(world).update("", deployed(), told());
        assert.deepEqual(world.done, []);
    });

    it("notes which members the program suspends, and no longer notes it once they run", async () => {
        const world = clusterWorld();
        const suspending = told({ suspended: ["tidb"] });
        const gate = createClusterGate(world);
        const { inputs } = await gate.check(deployed(), suspending);
        assert.deepEqual(await gate.diff("", deployed(), inputs), { changes: true });
        await gate.update("", deployed(), inputs);
        assert.deepEqual(world.lease?.members?.tidb, { replicas: 2, suspended: true });
        await gate.update("", inputs, told());
        assert.deepEqual(world.lease?.members, leaseOf().members);
    });

    describe("and the output for SQL clients changes", () => {
        const [tidb, tiproxy] = ["basic-tidb.tidb.svc:4000", "basic-tiproxy.tidb.svc:6000"];
        const keep = '; to keep it, set operations.sqlEndpoint to "tidb"';
        const planned = async (before: string | undefined, sqlEndpoint: unknown, more = {}) =>
            (await checked(clusterWorld({ lease: leaseOf({ sqlEndpoint: before }) }), { sqlEndpoint, ...more })).plan;

        it("says from what to what, before clients find a port closed", async () => {
            const changes = "the output sqlEndpoint changes from";
            assert.deepEqual(await planned(tidb, tiproxy), [`${changes} ${tidb} to ${tiproxy}${keep}`]);
            assert.deepEqual(await planned(tiproxy, tidb), [`${changes} ${tiproxy} to ${tidb}`]);
            assert.deepEqual(await planned(tidb, ""), [`${changes} ${tidb} to nothing`]);
        });

        it("has no such line if it stays, if there was none, or if nobody knows it", async () => {
            for (const [before, after] of [
                [tidb, tidb],
                ["", tidb],
                [undefined, tiproxy],
                [tidb, undefined],
            ]) {
                assert.deepEqual(await planned(before, after), [], `${before} ${after}`);
            }
            assert.deepEqual(await planned(tidb, tiproxy, { paused: true }), [], "a paused cluster");
        });

        it("plans the rest if it is known only later", async () => {
            const world = clusterWorld({ lease: leaseOf({ sqlEndpoint: tidb, owner: undefined }) });
            const { plan, inputs } = await checked(world, { sqlEndpoint: unknownValue });
            assert.deepEqual(plan, ["record acme/shop/prod as the owner of the cluster"]);
            assert.equal(inputs.sqlEndpoint, unknownValue);
        });

        it("records it, so that the next plan has no such line", async () => {
            const world = clusterWorld({ lease: leaseOf({ sqlEndpoint: tidb }) });
            const gate = createClusterGate(world);
            const olds = deployed({ sqlEndpoint: tidb });
            const { inputs } = await gate.check(olds, told({ sqlEndpoint: tiproxy }));
            assert.deepEqual(await gate.diff("", olds, inputs), { changes: true });
            await gate.update("", olds, inputs);
            assert.equal(world.lease?.sqlEndpoint, tiproxy);
            assert.deepEqual((await gate.check(inputs, told({ sqlEndpoint: tiproxy }))).inputs.plan, []);
        });
    });

    it("notes the owner again if the note was lost", async () => {
        const { plan } = await checked(clusterWorld({ lease: leaseOf({ owner: undefined }) }), {});
        assert.deepEqual(plan, ["record acme/shop/prod as the owner of the cluster"]);
    });

    it("notes that a member is in the program again which was to leave it, although the stack's state has it all the time", async () => {
        const members = { ...leaseOf().members, tidb: { replicas: 2, hasLeft: true } } as const;
        const world = clusterWorld({ lease: leaseOf({ members }) });
        const { plan } = await checked(world, {});
        assert.deepEqual(plan, ["record that tidb is in the program again"]);
        const gate = createClusterGate(world);
        const { inputs } = await gate.check(deployed(), told());
        assert.equal((await gate.diff("", deployed(), inputs)).changes, true);
        await gate.update("", deployed(), inputs);
        assert.deepEqual(world.lease?.members, leaseOf().members);
    });

    it("does not count a suspended member as removed", async () => {
        const world = clusterWorld({ live: { pd: {}, tikv: {}, tidb: { suspended: true } } });
        assert.deepEqual((await checked(world, {})).plan, []);
    });
});

describe("the ClusterGate when a member left the program", () => {
    for (const component of ["tikv", "pd"] as const) {
        it(`refuses to remove ${component} in the preview`, async () => {
            const { refused, why, plan } = await checked(clusterWorld(), without(component));
            assert.deepEqual([refused, plan], [[`spec.${component}`], []]);
            repeats(why, `basic-${component}-0`);
        });

        it(`refuses to remove ${component} if the Lease is new or an earlier version deployed it`, async () => {
            const lease = leaseOf({ owner: undefined, members: undefined });
            const { refused } = await checked(clusterWorld({ lease }), without(component), {});
            assert.deepEqual(refused, [`spec.${component}`]);
        });

        it(`refuses to remove ${component} while the cluster cannot be observed`, async () => {
            const { refused } = await checked(clusterWorld({ failure: unreachable }), without(component));
            assert.deepEqual(refused, [`spec.${component}`]);
        });

        it(`refuses to remove ${component} while the UID of the Lease is unknown`, async () => {
            const { refused } = await checked(clusterWorld(), { ...without(component), leaseUid: unknownValue });
            assert.deepEqual(refused, [`spec.${component}`]);
        });

        it(`refuses to remove ${component} while it is suspended, because its volumes hold data`, async () => {
            const claims = [claimOf(component, 0)];
            const world = clusterWorld({ live: { tidb: {}, [component]: { suspended: true, claims } } });
            const { refused, why } = await checked(world, without(component));
            assert.deepEqual(refused, [`spec.${component}`]);
            repeats(why, `${component}-basic-${component}-0`);
        });
    }

    it("refuses to remove tikv in the update too, before it changes anything", async () => {
        const world = clusterWorld();
        const update = createClusterGate(world).update("", deployed(), told(without("tikv")));
        await failsWith(update, "member-may-not-leave", { target: "basic-tikv" });
        assert.deepEqual(world.done, ["lock", "release"]);
    });

    it("refuses to remove tikv while PD does not list its stores", async () => {
        const row = { live: 0, pods: {}, pdSilent: true };
        const { refused, why } = await checked(clusterWorld({ live: { tikv: row } }), without("tikv"));
        assert.deepEqual(refused, ["spec.tikv"]);
        repeats(why, "PD answers 500");
    });

    it("lets tikv go if none of its stores is left, even if another cluster has stores in this PD", async () => {
        const row = { live: 0, stores: { 0: undefined, 1: undefined, 2: undefined, 3: undefined } };
        const world = clusterWorld({ live: { tikv: row } });
        const { refused } = await checked(world, without("tikv"));
        assert.equal(refused, undefined);
    });

    it("plans to take tiflash's stores out of PD", async () => {
        const world = clusterWorld({ live: { tiflash: { tiflashReplicas: 0 } }, lease: noting("tiflash") });
        const { plan, refused } = await checked(world, {}, deployed(withMember("tiflash")));
        assert.equal(refused, undefined);
        assert.equal(plan.length, 2, plan.join("\n"));
        repeats(plan[0], "remove basic-tiflash-1", "store 21");
    });

    it("refuses to remove tiflash while a table has a replica on it", async () => {
        const world = clusterWorld({ live: { tiflash: {} }, lease: noting("tiflash") });
        const { refused } = await checked(world, {}, deployed(withMember("tiflash")));
        assert.deepEqual(refused, ["spec.tiflash"]);
    });

    it("plans to take the stores of a suspended tiflash out of PD", async () => {
        const row = { suspended: true, tiflashReplicas: 0, claims: [claimOf("tiflash", 0), claimOf("tiflash", 1)] };
        const world = clusterWorld({ live: { tiflash: row }, lease: noting("tiflash") });
        const { plan } = await checked(world, {}, deployed(withMember("tiflash")));
        assert.deepEqual(
            plan.map((line) => line.split(" (")[0]),
            ["remove basic-tiflash-1", "remove basic-tiflash-0"],
        );
    });

    it("reports the removal while PD is silent, and leaves it to an update that waits for PD", async () => {
        const row = { tiflashReplicas: 0, pdSilent: true };
        const world = clusterWorld({ live: { tiflash: row }, lease: noting("tiflash") });
        const { plan, inputs } = await checked(world, {}, deployed(withMember("tiflash")));
        assert.deepEqual(plan, [
            "remove basic-tiflash-1 (tiflash left the program): once PD answers",
            "remove basic-tiflash-0 (tiflash left the program): once PD answers",
        ]);
        repeats(inputs.deferred, "PD answers 500");
    });

    it("takes tiflash out of PD before Pulumi deletes it, and keeps its note until it is gone", async () => {
        const world = clusterWorld({ live: { pd: {}, tikv: {}, tidb: {} }, lease: noting("tiflash") });
        world.live.tiflash = { tiflashReplicas: 0, tiflash: {}, tombstones: [], claims: [claimOf("tiflash", 0)] };
        world.changes = (action) => removeStore(world, action);
        await createClusterGate(world).update("", deployed(withMember("tiflash")), told());
        const taken = world.done.filter((one) => one === "remove-store" || one.startsWith("members"));
        assert.deepEqual(taken, ["remove-store", "remove-store", "members tiflash pd tikv tidb"]);
        assert.ok(world.done.includes("release-claims"), "its volumes are given up");
        assert.ok(!world.done.includes("delete-pod") && !world.done.includes("delete-stateful-set"));
        world.done.length = 0;
        delete world.live.tiflash;
        await createClusterGate(world).update("", deployed(), told());
        assert.deepEqual(world.lease?.members, leaseOf().members);
    });

    it("refuses to remove pump while TiDB may write to it", async () => {
        const world = clusterWorld({ live: { tidb: {}, pump: {} }, lease: noting("pump") });
        const { refused } = await checked(world, {}, deployed(withMember("pump")));
        assert.deepEqual(refused, ["spec.pump"]);
    });

    const unused = { pump: { by: "tidb", templateRevision: "new-template" } };
    it("lets pump go once TiDB runs a template that does not write to it, also in a repeated run", async () => {
        const world = clusterWorld({ live: { tidb: {}, pump: {} }, lease: noting("pump") });
        const first = await checked(world, {}, deployed({ ...withMember("pump"), unused }));
        assert.equal(first.refused, undefined);
        assert.equal(first.plan.length, 2);
        const again = await checked(world, {}, first.inputs);
        assert.equal(again.refused, undefined);
    });

    it("keeps pump while a pod of TiDB runs an older template", async () => {
        const world = clusterWorld({ live: { tidb: { stale: [1] }, pump: {} }, lease: noting("pump") });
        const { refused } = await checked(world, {}, deployed({ ...withMember("pump"), unused }));
        assert.deepEqual(refused, ["spec.pump"]);
    });

    it("keeps pump while TiDB's StatefulSet does not have the new template", async () => {
        const world = clusterWorld({ live: { tidb: {}, pump: {} }, lease: noting("pump") });
        const asked = { pump: { by: "tidb", templateRevision: "newer-template" } };
        const { refused } = await checked(world, {}, deployed({ ...withMember("pump"), unused: asked }));
        assert.deepEqual(refused, ["spec.pump"]);
    });

    it("plans the removal of tiproxy, tso, scheduling and ticdc", async () => {
        for (const component of ["tiproxy", "tso", "scheduling", "ticdc"] as const) {
            const world = clusterWorld({ live: { [component]: {} }, lease: noting(component) });
            const { plan, refused } = await checked(world, {}, deployed(withMember(component)));
            assert.equal(refused, undefined);
            repeats(plan[0], `remove basic-${component}-`);
        }
    });

    it("refuses every removal in a paused cluster, because Pulumi would delete the member anyway", async () => {
        const world = clusterWorld({ live: { tiproxy: {} }, lease: noting("tiproxy") });
        const { refused } = await checked(world, { paused: true }, deployed(withMember("tiproxy")));
        assert.deepEqual(refused, ["spec.tiproxy"]);
        const unseen = await checked(
            clusterWorld({ failure: unreachable }),
            { paused: true },
            deployed(withMember("tiproxy")),
        );
        assert.deepEqual(unseen.refused, ["spec.tiproxy"]);
    });
});

describe("the ClusterGate of a paused cluster", () => {
    it("only notes the pause, and sees the changes when the pause ends", async () => {
        const world = clusterWorld();
        const { inputs, plan } = await checked(world, { paused: true, memberReplicas: { pd: 3, tikv: 5, tidb: 2 } });
        assert.deepEqual([plan, inputs.memberReplicas, inputs.paused], [[], { pd: 3, tikv: 4, tidb: 2 }, true]);
        const nobodys = clusterWorld({ lease: leaseOf({ owner: undefined }) });
        await createClusterGate(nobodys).create({ ...told(), paused: true });
        assert.deepEqual(nobodys.done, ["pause"]);
        assert.equal(nobodys.lease?.isPaused, true);
    });

    it("runs once when the pause begins, and once when it ends", async () => {
        const world = clusterWorld();
        const gate = createClusterGate(world);
        const paused = (await gate.check(deployed(), told({ paused: true }))).inputs;
        assert.deepEqual(await gate.diff("", deployed(), paused), { changes: true });
        const { outs } = await gate.update("", deployed(), paused);
        assert.equal(world.lease?.isPaused, true);
        const again = (await gate.check(outs, told({ paused: true }))).inputs;
        assert.deepEqual(await gate.diff("", outs, again), { changes: false });
        const after = (await gate.check(outs, told())).inputs;
        assert.deepEqual(await gate.diff("", outs, after), { changes: true });
        await gate.update("", outs, after);
        assert.equal(world.lease?.isPaused, undefined);
    });

    it("notes the end of the pause, although nothing else has changed", async () => {
        const world = clusterWorld({ lease: leaseOf({ isPaused: true }) });
        await createClusterGate(world).update("", told(), told());
        assert.equal(world.lease?.isPaused, undefined);
        assert.ok(world.done.includes("members pd tikv tidb"), world.done.join());
    });

    it("notes how the controller may replace the dead of each member", async () => {
        const unattended = { tikv: { failover: { periodSeconds: 300, budget: 3 }, policy: defaultPolicy } };
        const world = clusterWorld();
        await createClusterGate(world).update("", told(), { ...told(), unattended });
        assert.deepEqual(world.lease?.members?.tikv, { replicas: 4, unattended: unattended.tikv });
        assert.deepEqual(world.lease?.members?.pd, { replicas: 3 });
    });
});

describe("the ClusterGate and the cluster's name and owner", () => {
    it("refuses a renamed cluster in the preview", async () => {
        const world = clusterWorld({ lease: undefined });
        const name = await checked(world, { cluster: "shop", leaseUid: unknownValue });
        assert.deepEqual(name.refused, ["metadata.name"]);
        const made = { name: "shop", namespace: "tidb" };
        const anew = await checked(world, { cluster: "shop", deployed: made });
        assert.deepEqual(anew.refused, ["metadata.name"]);
        const namespace = await checked(world, { namespace: "shop" }, {});
        assert.deepEqual(namespace.refused, ["metadata.namespace"]);
    });

    it("refuses a second stack in its first preview, before the Lease has a UID", async () => {
        const news = { owner: other, leaseUid: unknownValue, deployed: { name: "basic", namespace: "tidb" } };
        const { refused } = await checked(clusterWorld(), news, {});
        assert.deepEqual(refused, ["Lease tidb/basic-pulumi-tidb"]);
    });

    it("refuses a stack of the same name in another backend in its first preview", async () => {
        const { refused } = await checked(clusterWorld(), { leaseUid: unknownValue }, {});
        assert.deepEqual(refused, ["Lease tidb/basic-pulumi-tidb"]);
    });

    it("refuses a stack in the update if another stack became the owner after the preview", async () => {
        const world = clusterWorld({ lease: leaseOf({ owner: other }) });
        await failsWith(createClusterGate(world).create(told()), "owned-elsewhere", { names: "acme/shop/copy" });
        assert.deepEqual(world.lease?.owner, other);
    });

    it("defers its first preview like any gate, and says where it could not read the owner", async () => {
        const fresh = await checked(clusterWorld({ lease: undefined }), { leaseUid: unknownValue }, {});
        assert.notEqual(fresh.inputs.deferred, "");
        const world = clusterWorld({ failure: unreachable });
        await checked(world, { leaseUid: unknownValue }, {});
        repeats(world.warnings, "Lease tidb/basic-pulumi-tidb");
        const known = clusterWorld({ failure: unreachable });
        await checked(known, {});
        assert.equal(known.warnings.length, 1, "that nothing was looked at");
    });
});

describe("giving up a cluster", () => {
    it("deletes the notes, so that another stack can take the cluster", async () => {
        const world = clusterWorld();
        await createClusterGate(world).delete?.("", deployed());
        assert.deepEqual(kinds(world), ["lock", "owner undefined", "members ", "release"]);
        assert.equal(world.lease?.owner, undefined);
    });

    it("does nothing without a Lease, and refuses another stack's cluster", async () => {
        await createClusterGate(clusterWorld({ lease: undefined })).delete?.("", deployed());
        const world = clusterWorld({ lease: leaseOf({ owner: other, records: noRecords() }) });
        await failsWith(createClusterGate(world).delete!("", deployed()), "owned-elsewhere", {
            names: "acme/shop/copy",
        });
        assert.deepEqual(world.lease?.owner, other);
    });
});

/** PD takes a store out at once, and a claim that is given up is marked. */
function removeStore(world: ClusterWorld, action: Action): void {
    const row = world.live.tiflash!;
    if (action.do === "remove-store") {
        const ordinal = action.storeId - 20;
        row.tiflash = { ...row.tiflash, [ordinal]: undefined };
        row.tombstones = [...(row.tombstones ?? []), tiflashStoreOf(ordinal, { state: "Tombstone" })];
    }
    if (action.do === "release-claims") {
        row.claims = row.claims?.map((claim) => ({ ...claim, released: true, releasedId: action.storeOrMember }));
    }
}
