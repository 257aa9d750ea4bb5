import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { unknownValue } from "../../../provider/gates/inputs";
import type { Action } from "../../../provider/lifecycle/vocabulary/move";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../topology/members";
import { claimOf, tiflashStoreOf } from "../../support/lifecycle/observations";
import { type ClusterWorld, clusterWorld, deployed, leaseOf, other, owner, told } from "./clusterWorld";

const all: Component[] = ["pd", "tikv", "tidb"];
const withMember = (component: Component) => ({
    components: [...all, component],
    memberReplicas: { pd: 3, tikv: 4, tidb: 2, [component]: 2 },
});
const without = (component: Component) => ({ components: all.filter((one) => one !== component) });
/** The Lease as it is once the cluster has this member too. */
const noting = (component: Component) => leaseOf({ members: { ...leaseOf().members, [component]: { replicas: 2 } } });
const unreachable = new KubernetesApiError("the API server at https://there did not answer", undefined);

async function checked(world: ClusterWorld, news: object, olds: Record<string, unknown> = deployed()) {
    const { inputs, failures = [] } = await createClusterGate(world).check(olds, told({ ...news }));
    return { plan: inputs.plan as string[], failure: failures[0]?.reason, inputs };
}
const kinds = ({ done }: ClusterWorld) => done.filter((one) => !/^(records|evict|take|mark|remove) /.test(one));

describe("the cluster's gate, where nothing leaves", () => {
    it("has no step, and asks PD nothing", async () => {
        const world = clusterWorld();
        assert.deepEqual((await checked(world, {})).plan, []);
        assert.deepEqual(world.looks, []);
        const gate = createClusterGate(world);
        const { inputs } = await gate.check(deployed(), told());
        assert.deepEqual(await gate.diff("", deployed(), inputs), { changes: false });
    });

    it("notes owner and members once, under the lock: a member that leaves next would go unnoticed", async () => {
        const world = clusterWorld({ lease: leaseOf({ owner: undefined, members: undefined }) });
        await createClusterGate(world).create(told());
        assert.deepEqual(world.done, ["lock", "owner acme/shop/prod", "members pd tikv tidb", "release"]);
        assert.deepEqual([world.lease?.owner, world.lease?.members], [owner, leaseOf().members]);
        world.done.length = 0;
        await createClusterGate(world).update("", deployed(), told());
        assert.deepEqual(world.done, []);
    });

    it("notes the owner again where the note was lost: a second stack would find nobody's cluster", async () => {
        const { plan } = await checked(clusterWorld({ lease: leaseOf({ owner: undefined }) }), {});
        assert.deepEqual(plan, ["record acme/shop/prod as the owner of the cluster"]);
    });

    it("does not count a suspended member as gone: its stores would be taken out of PD", async () => {
        const world = clusterWorld({ live: { pd: {}, tikv: {}, tidb: { suspended: true } } });
        assert.deepEqual((await checked(world, {})).plan, []);
    });
});

describe("a member that left the program", () => {
    for (const component of ["tikv", "pd"] as const) {
        it(`${component} is refused in the preview: its pods would be deleted at once, with a green preview`, async () => {
            const { failure, plan } = await checked(clusterWorld(), without(component));
            assert.match(failure ?? "", new RegExp(`^spec.${component}: found none, expected the member to stay`));
            assert.match(failure ?? "", new RegExp(`\\d replicas; basic-${component}-0, .*running; .*known to PD`));
            assert.deepEqual(plan, []);
        });

        it(`${component} is refused where the Lease was made anew, or an earlier version deployed it`, async () => {
            const lease = leaseOf({ owner: undefined, members: undefined });
            const { failure } = await checked(clusterWorld({ lease }), without(component), {});
            assert.match(failure ?? "", new RegExp(`^spec.${component}: found none`));
        });

        it(`${component} is refused where the cluster cannot be looked at`, async () => {
            const { failure } = await checked(clusterWorld({ failure: unreachable }), without(component));
            assert.match(
                failure ?? "",
                new RegExp(`^spec.${component}: .* could not check what it still holds .*did not answer`),
            );
        });

        it(`${component} is refused while the Lease's UID is not known`, async () => {
            const { failure } = await checked(clusterWorld(), { ...without(component), leaseUid: unknownValue });
            assert.match(failure ?? "", new RegExp(`^spec.${component}: .* could not check what it still holds`));
        });

        it(`${component} is refused while suspended: its volumes hold the data`, async () => {
            const claims = [claimOf(component, 0)];
            const world = clusterWorld({ live: { tidb: {}, [component]: { suspended: true, claims } } });
            const { failure } = await checked(world, without(component));
            assert.match(failure ?? "", new RegExp(`${component}-basic-${component}-0 not released`));
        });
    }

    it("tikv is refused by the update too, before anything is done", async () => {
        const world = clusterWorld();
        const update = createClusterGate(world).update("", deployed(), told(without("tikv")));
        await assert.rejects(update, /leave-program: basic-tikv: found none/);
        assert.deepEqual(world.done, ["lock", "release"]);
    });

    it("tikv is refused where PD does not say which stores it has", async () => {
        const row = { live: 0, pods: {}, pdSilent: true };
        const { failure } = await checked(clusterWorld({ live: { tikv: row } }), without("tikv"));
        assert.match(failure ?? "", /PD's entries for it are not known: PD answers 500/);
    });

    it("tikv may go once nothing of it is left: scaled in to 0 beside another cluster's stores", async () => {
        const row = { live: 0, stores: { 0: undefined, 1: undefined, 2: undefined, 3: undefined } };
        const world = clusterWorld({ live: { tikv: row } });
        const { failure } = await checked(world, without("tikv"));
        assert.equal(failure, undefined);
    });

    it("tiflash has its stores taken out of PD by the plan that the preview shows", async () => {
        const world = clusterWorld({ live: { tiflash: { tiflashReplicas: 0 } }, lease: noting("tiflash") });
        const { plan, failure } = await checked(world, {}, deployed(withMember("tiflash")));
        assert.equal(failure, undefined);
        assert.equal(plan.length, 2, plan.join("\n"));
        assert.match(plan[0], /^remove basic-tiflash-1 \(tiflash left the program\): remove store 21/);
    });

    it("tiflash is refused while a table has a replica on it: queries would fail", async () => {
        const world = clusterWorld({ live: { tiflash: {} }, lease: noting("tiflash") });
        const { failure } = await checked(world, {}, deployed(withMember("tiflash")));
        assert.match(failure ?? "", /^spec.tiflash: found none, .*: 0 Up TiFlash stores would be left.* Put it back/);
    });

    it("tiflash that is suspended has its stores taken out too: PD would count them as down for ever", async () => {
        const row = { suspended: true, tiflashReplicas: 0, claims: [claimOf("tiflash", 0), claimOf("tiflash", 1)] };
        const world = clusterWorld({ live: { tiflash: row }, lease: noting("tiflash") });
        const { plan } = await checked(world, {}, deployed(withMember("tiflash")));
        assert.deepEqual(
            plan.map((line) => line.split(" (")[0]),
            ["remove basic-tiflash-1", "remove basic-tiflash-0"],
        );
    });

    it("is said, though PD is silent, and left to an update that waits for PD", async () => {
        const row = { tiflashReplicas: 0, pdSilent: true };
        const world = clusterWorld({ live: { tiflash: row }, lease: noting("tiflash") });
        const { plan, inputs } = await checked(world, {}, deployed(withMember("tiflash")));
        assert.deepEqual(plan, [
            "remove basic-tiflash-1 (tiflash left the program): once PD answers",
            "remove basic-tiflash-0 (tiflash left the program): once PD answers",
        ]);
        assert.match(inputs.deferred as string, /PD answers 500/);
    });

    it("tiflash is out of PD before Pulumi deletes it, and stays noted until it is gone: a run that dies would forget it", async () => {
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

    it("pump is refused under a TiDB that may write to it: TiDB would stop", async () => {
        const world = clusterWorld({ live: { tidb: {}, pump: {} }, lease: noting("pump") });
        const { failure } = await checked(world, {}, deployed(withMember("pump")));
        assert.match(failure ?? "", /^spec.pump: .*until tidb runs without it/);
    });

    const unused = { pump: { by: "tidb", templateRevision: "new-template" } };
    it("pump goes once TiDB runs the template that writes to none, also in a run that is repeated", async () => {
        const world = clusterWorld({ live: { tidb: {}, pump: {} }, lease: noting("pump") });
        const first = await checked(world, {}, deployed({ ...withMember("pump"), unused }));
        assert.equal(first.failure, undefined);
        assert.equal(first.plan.length, 2);
        const again = await checked(world, {}, first.inputs);
        assert.equal(again.failure, undefined);
    });

    it("pump stays while a pod of TiDB runs an older template", async () => {
        const world = clusterWorld({ live: { tidb: { stale: [1] }, pump: {} }, lease: noting("pump") });
        const { failure } = await checked(world, {}, deployed({ ...withMember("pump"), unused }));
        assert.match(failure ?? "", /^spec.pump/);
    });

    it("pump stays while TiDB has not been given that template", async () => {
        const world = clusterWorld({ live: { tidb: {}, pump: {} }, lease: noting("pump") });
        const asked = { pump: { by: "tidb", templateRevision: "newer-template" } };
        const { failure } = await checked(world, {}, deployed({ ...withMember("pump"), unused: asked }));
        assert.match(failure ?? "", /^spec.pump/);
    });

    it("tiproxy, tso, scheduling and ticdc leave by a plan", async () => {
        for (const component of ["tiproxy", "tso", "scheduling", "ticdc"] as const) {
            const world = clusterWorld({ live: { [component]: {} }, lease: noting(component) });
            const { plan, failure } = await checked(world, {}, deployed(withMember(component)));
            assert.equal(failure, undefined);
            assert.match(plan[0] ?? "", new RegExp(`^remove basic-${component}-`), component);
        }
    });

    it("is refused in a paused cluster: Pulumi would delete it though nothing is to be done", async () => {
        const world = clusterWorld({ live: { tiproxy: {} }, lease: noting("tiproxy") });
        const { failure } = await checked(world, { paused: true }, deployed(withMember("tiproxy")));
        assert.match(failure ?? "", /^spec.tiproxy: found none, expected the member to stay while spec.paused/);
        const unseen = await checked(
            clusterWorld({ failure: unreachable }),
            { paused: true },
            deployed(withMember("tiproxy")),
        );
        assert.match(unseen.failure ?? "", /^spec.tiproxy: .*could not check what it still holds/);
    });
});

describe("a paused cluster", () => {
    it("is left as it is, its notes too, and sees what changed once it is not paused any more", async () => {
        const world = clusterWorld();
        const { inputs, plan } = await checked(world, { paused: true, memberReplicas: { pd: 3, tikv: 5, tidb: 2 } });
        assert.deepEqual([plan, inputs.memberReplicas, inputs.paused], [[], { pd: 3, tikv: 4, tidb: 2 }, true]);
        const nobodys = clusterWorld({ lease: leaseOf({ owner: undefined }) });
        await createClusterGate(nobodys).create({ ...told(), paused: true });
        assert.deepEqual(nobodys.done, []);
    });
});

describe("a cluster's names and its owner", () => {
    it("a renamed cluster is refused in the preview: all of its objects would be deleted and made anew", async () => {
        const world = clusterWorld({ lease: undefined });
        const name = await checked(world, { cluster: "shop", leaseUid: unknownValue });
        assert.match(name.failure ?? "", /^metadata.name: found shop, expected basic/);
        const made = { name: "shop", namespace: "tidb" };
        const anew = await checked(world, { cluster: "shop", deployed: made });
        assert.match(anew.failure ?? "", /^metadata.name: found shop, expected basic/);
        const namespace = await checked(world, { namespace: "shop" }, {});
        assert.match(namespace.failure ?? "", /^metadata.namespace: found shop, expected tidb/);
    });

    it("a second stack is refused in its first preview, before its Lease has a UID", async () => {
        const news = { owner: other, leaseUid: unknownValue, deployed: { name: "basic", namespace: "tidb" } };
        const { failure } = await checked(clusterWorld(), news, {});
        assert.match(failure ?? "", /^Lease tidb\/basic-pulumi-tidb: the cluster belongs to stack acme\/shop\/prod/);
    });

    it("a stack of the same name in another backend is refused in its first preview", async () => {
        const { failure } = await checked(clusterWorld(), { leaseUid: unknownValue }, {});
        assert.match(failure ?? "", /this stack's state does not contain it/);
    });

    it("a second stack that comes between preview and update is refused: both would have it", async () => {
        const world = clusterWorld({ lease: leaseOf({ owner: other }) });
        await assert.rejects(createClusterGate(world).create(told()), /belongs to stack acme\/shop\/copy/);
        assert.deepEqual(world.lease?.owner, other);
    });

    it("a first preview is deferred as any gate's, and says where the owner was not seen", async () => {
        const fresh = await checked(clusterWorld({ lease: undefined }), { leaseUid: unknownValue }, {});
        assert.match(fresh.inputs.deferred as string, /first deployment/);
        const world = clusterWorld({ failure: unreachable });
        await checked(world, { leaseUid: unknownValue }, {});
        assert.match(world.warnings.join("\n"), /could not check whether another stack owns the cluster/);
        const known = clusterWorld({ failure: unreachable });
        await checked(known, {});
        assert.equal(known.warnings.length, 1, "that nothing was looked at");
    });
});

describe("letting go of a cluster", () => {
    it("takes the notes away: the next stack would be refused", async () => {
        const world = clusterWorld();
        await createClusterGate(world).delete?.("", deployed());
        assert.deepEqual(kinds(world), ["lock", "owner undefined", "members ", "release"]);
        assert.equal(world.lease?.owner, undefined);
    });

    it("does nothing without a Lease, and refuses another stack's", async () => {
        await createClusterGate(clusterWorld({ lease: undefined })).delete?.("", deployed());
        const world = clusterWorld({ lease: leaseOf({ owner: other, records: noRecords() }) });
        await assert.rejects(createClusterGate(world).delete!("", deployed()), /belongs to stack acme\/shop\/copy/);
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
        row.claims = row.claims?.map((claim) => ({ ...claim, released: true }));
    }
}
