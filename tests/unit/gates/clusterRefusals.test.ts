import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { unknownValue } from "../../../provider/gates/inputs";
import { type ClusterWorld, clusterWorld, deployed, leaseOf, other, owner, told } from "./clusterWorld";
import type { Component } from "../../../topology/members";
import { failsWith } from "../../support/failsWith";

const all: Component[] = ["pd", "tikv", "tidb"];
const without = (component: Component) => ({ components: all.filter((one) => one !== component) });
const unreachable = new KubernetesApiError("the API server at https://there did not answer", undefined);

async function checked(world: ClusterWorld, news: object, olds: Record<string, unknown> = deployed()) {
    const { inputs, failures = [] } = await createClusterGate(world).check(olds, told({ ...news }));
    return { plan: inputs.plan as string[], failure: failures[0]?.reason, inputs };
}

describe("the refusals of the ClusterGate", () => {
    it("list every refused member at once", async () => {
        const { failure } = await checked(clusterWorld({ live: { pd: {}, tikv: {} } }), { components: ["tidb"] });
        const [first, second, ...more] = (failure ?? "").split("\n");
        assert.match(first, /^spec\.tikv: found none, expected the member to stay while anything of it is left/);
        assert.match(second, /^spec\.pd: found none, expected the member to stay while anything of it is left/);
        assert.deepEqual(more, []);
    });

    it("name the field in the reason, because Pulumi shows `<nil>` for a field of the gate", async () => {
        const { failures } = await createClusterGate(clusterWorld()).check(deployed(), told(without("tikv")));
        assert.deepEqual(
            failures?.map(({ property }) => property),
            [""],
        );
        const renamed = await createClusterGate(clusterWorld()).check(deployed(), told({ cluster: "shop" }));
        assert.equal(renamed.failures?.[0].property, "");
        assert.deepEqual([renamed.inputs.plan, renamed.inputs.replicas, renamed.inputs.deferred], [[], 0, ""]);
    });

    it("include another stack's cluster in the update too, under its Lease", async () => {
        const world = clusterWorld({ lease: leaseOf({ owner: other }) });
        const target = "Lease tidb/basic-pulumi-tidb";
        await failsWith(createClusterGate(world).create(told()), "owned-elsewhere", { step: "owner", target });
    });

    it("include its own cluster under a new resource name, because Pulumi would delete the first one's objects", async () => {
        const urn = `${owner.urn}-renamed`;
        const world = clusterWorld({ lease: leaseOf({ owner: { ...owner, urn } }) });
        await failsWith(createClusterGate(world).create(told()), "owned-elsewhere", { names: "-renamed" });
        assert.equal(world.lease?.owner?.urn, urn);
    });

    it("do not include its own cluster under an alias in the stack's state", async () => {
        const world = clusterWorld({ lease: leaseOf({ owner: { ...owner, urn: `${owner.urn}-renamed` } }) });
        await createClusterGate(world).update("", deployed(), told());
        assert.deepEqual(world.lease?.owner, owner);
    });

    it("do not cover names that a preview does not know yet", async () => {
        for (const unknown of [{ cluster: unknownValue }, { namespace: unknownValue }]) {
            const world = clusterWorld({ open: () => Promise.reject(new Error("nobody knows which cluster")) });
            const { failure, inputs } = await checked(world, unknown);
            assert.equal(failure, undefined);
            assert.match(String(inputs.deferred), /^deferred: (cluster|namespace) is known only during the update$/);
        }
    });

    it("do not apply while the access or the owner's name is unknown, and ask nobody", async () => {
        for (const unknown of [
            { access: { kubeconfig: unknownValue } },
            { owner: { ...owner, stack: unknownValue } },
        ]) {
            const world = clusterWorld({ open: () => Promise.reject(new Error("nobody knows which cluster")) });
            const { failure } = await checked(world, { ...unknown, leaseUid: unknownValue }, {});
            assert.equal(failure, undefined);
        }
    });

    it("do not apply to names in a stack that an earlier version wrote without notes", async () => {
        const { failure, plan } = await checked(clusterWorld(), { deployed: undefined });
        assert.deepEqual([failure, plan], [undefined, []]);
    });

    it("do not hide a defect", async () => {
        const world = clusterWorld();
        const { open } = world;
        let opened = 0;
        world.open = (...how) => (opened++ === 0 ? Promise.reject(new TypeError("a defect")) : open(...how));
        await assert.rejects(checked(world, {}), /a defect/);
    });

    it("do not include a member that may go while the cluster cannot be observed", async () => {
        const world = clusterWorld({ failure: unreachable });
        const { failure, inputs } = await checked(world, {}, deployed({ components: [...all, "tiproxy"] }));
        assert.equal(failure, undefined);
        assert.match(String(inputs.deferred), /^deferred: the API server does not answer: see the warning of/);
    });

    it("say once why the cluster could not be read: the report of the plan refers to the warning", async () => {
        const world = clusterWorld({ failure: unreachable });
        const changed = told({ components: [...all, "tiproxy"], domain: "a.example" });
        await createClusterGate(world).check(deployed(), changed, true);
        const said = [...world.warnings, ...world.done];
        const cause = said.filter((line) => line.includes("https://there did not answer"));
        assert.deepEqual(cause, [
            "the API server at https://there did not answer; the plan below is NOT based on the live cluster. Make it reachable before `pulumi up`",
        ]);
        const report = said.find((line) => line.startsWith("basic: ")) ?? "";
        assert.match(report, /deferred: the API server does not answer: see the warning of urn$/m);
    });

    it("say completely what could not be read", async () => {
        const world = clusterWorld({ failure: unreachable });
        await checked(world, { leaseUid: unknownValue }, {});
        assert.deepEqual(world.warnings, [
            "nothing was checked: no namespace, permission, Secret or claim of an earlier cluster, nor whether another stack owns the cluster (Lease tidb/basic-pulumi-tidb): the API server at https://there did not answer",
        ]);
        const { failure } = await checked(world, without("tikv"));
        assert.equal(
            failure,
            "spec.tikv: found none, expected the member to stay: could not check what it still holds (deferred: the API server at https://there did not answer), and Pulumi would delete it. Put it back, or make the cluster reachable",
        );
    });

    it("ask the way a check does, without waiting long for a silent API server", async () => {
        const uses: string[] = [];
        const world = clusterWorld();
        const { open } = world;
        world.open = (inputs, use) => {
            uses.push(use);
            return open(inputs, use);
        };
        await checked(world, {});
        assert.deepEqual([...new Set(uses)], ["check"]);
    });
});

describe("the proof that nobody uses a member", () => {
    const unused = { pump: { by: "tidb", templateRevision: "old-template" } };

    it("is deleted once the program has the member again", async () => {
        const pump = { components: [...all, "pump"] };
        const { inputs } = await checked(clusterWorld(), pump, deployed({ ...pump, unused }));
        assert.deepEqual(inputs.unused, {});
    });

    it("is kept while the member leaves", async () => {
        const { inputs } = await checked(clusterWorld(), {}, deployed({ unused }));
        assert.deepEqual(inputs.unused, unused);
    });
});

describe("a cluster that is paused from the start", () => {
    it("has a plan like any other, and the gate knows that it is paused", async () => {
        const { inputs, failure } = await checked(clusterWorld({ lease: undefined }), { paused: true }, {});
        assert.equal(failure, undefined);
        assert.deepEqual([inputs.paused, inputs.owner], [true, owner]);
        assert.match(String(inputs.deferred), /first deployment/);
    });
});
