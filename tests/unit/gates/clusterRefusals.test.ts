import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { unknownValue } from "../../../provider/gates/inputs";
import { checked, clusterWorld, deployed, leaseOf, other, owner, told } from "./clusterWorld";
import type { Component } from "../../../topology/members";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";

const all: Component[] = ["pd", "tikv", "tidb"];
const without = (component: Component) => ({ components: all.filter((one) => one !== component) });
const unreachable = new KubernetesApiError("the API server at https://there did not answer", undefined);

describe("the refusals of the ClusterGate", () => {
    it("list every refused member at once", async () => {
        const { refused } = await checked(clusterWorld({ live: { pd: {}, tikv: {} } }), { components: ["tidb"] });
        assert.deepEqual(refused, ["spec.tikv", "spec.pd"]);
    });

    it("name the field in the reason, because Pulumi shows `<nil>` for a field of the gate", async () => {
        const news = told({ components: ["tidb"] });
        const { failures } = await createClusterGate(clusterWorld()).check(deployed(), news);
        const [{ property, reason }, ...more] = failures ?? [];
        const fields = reason.split("\n").map((line) => line.split(": ")[0]);
        assert.deepEqual([property, fields, more], ["", ["spec.tikv", "spec.pd"], []]);
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
            const { refused, inputs } = await checked(world, unknown);
            assert.equal(refused, undefined);
            repeats(inputs.deferred, ...Object.keys(unknown));
        }
    });

    it("do not apply while the access or the owner's name is unknown, and ask nobody", async () => {
        for (const unknown of [
            { access: { kubeconfig: unknownValue } },
            { owner: { ...owner, stack: unknownValue } },
        ]) {
            const world = clusterWorld({ open: () => Promise.reject(new Error("nobody knows which cluster")) });
            const { refused } = await checked(world, { ...unknown, leaseUid: unknownValue }, {});
            assert.equal(refused, undefined);
        }
    });

    it("do not apply to names in a stack that an earlier version wrote without notes", async () => {
        const { refused, plan } = await checked(clusterWorld(), { deployed: undefined });
        assert.deepEqual([refused, plan], [undefined, []]);
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
        const { refused, inputs } = await checked(world, {}, deployed({ components: [...all, "tiproxy"] }));
        assert.equal(refused, undefined);
        assert.notEqual(inputs.deferred, "");
    });

    it("say once why the cluster could not be read: the report of the plan refers to the warning", async () => {
        const world = clusterWorld({ failure: unreachable });
        const changed = told({ components: [...all, "tiproxy"], domain: "a.example" });
        await createClusterGate(world).check(deployed(), changed, true);
        const said = [...world.warnings.map(({ message }) => message), ...world.done];
        const cause = said.filter((line) => line.includes("https://there did not answer"));
        assert.equal(cause.length, 1);
        repeats(
            said.find((line) => line.startsWith("basic: ")),
            "see the warning of urn",
        );
    });

    it("say completely what could not be read", async () => {
        const world = clusterWorld({ failure: unreachable });
        await checked(world, { leaseUid: unknownValue }, {});
        const [warning, ...more] = world.warnings;
        repeats(warning, "Lease tidb/basic-pulumi-tidb", unreachable.message);
        assert.deepEqual(more, []);
        assert.deepEqual((await checked(world, without("tikv"))).refused, ["spec.tikv"]);
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
        const { inputs, refused } = await checked(clusterWorld({ lease: undefined }), { paused: true }, {});
        assert.equal(refused, undefined);
        assert.deepEqual([inputs.paused, inputs.owner], [true, owner]);
        assert.notEqual(inputs.deferred, "");
    });
});
