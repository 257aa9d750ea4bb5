import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import * as gates from "../../../provider/gates";
import { createGate } from "../../../provider/gates/gate";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import type { GateDefinition } from "../../../provider/gates/gateDefinition";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { type GateProgramInputs, unknownValue } from "../../../provider/gates/inputs";
import type { PlanItem } from "../../../provider/lifecycle/walks/describePlan";
import { clusterWorld, deployed, leaseOf, owner, told } from "./clusterWorld";

/** A world that keeps each message with the end of the URN that it is for. */
function listening(): { world: GateWorld; said: string[] } {
    const said: string[] = [];
    const world = clusterWorld();
    world.progress = ({ statusUrn }) => ({
        info: (message) => void said.push(`${statusUrn.split("::").at(-1)}| ${message}`),
        warn: () => undefined,
        status: () => undefined,
        note: () => undefined,
    });
    return { world, said };
}

const task = (words: string): PlanItem => ({ is: "task", words });

/** Checks a gate of a member in a preview; the gate of TiDB is the last one. */
async function preview(world: GateWorld, component: string, plan: PlanItem[], more: object = {}): Promise<void> {
    const definition: GateDefinition<GateProgramInputs> = {
        replicasOf: () => 0,
        plan: () => Promise.resolve({ plan }),
        effect: () => Promise.resolve(),
        ...(component === "tidb" ? { isLast: true } : {}),
    };
    const statusUrn = `urn::${(more as { cluster?: string }).cluster ?? "basic"}-${component}`;
    await createGate(definition, world).check({}, told({ component, statusUrn, ...more }), true);
}

describe("what a preview says of a plan", () => {
    it("is the plan on each gate's line, numbered through, and the summary on the line of the TidbCluster", async () => {
        const { world, said } = listening();
        await preview(world, "pd", [task("a"), task("b")]);
        await preview(world, "tikv", []);
        await preview(world, "tidb", [task("c")]);
        assert.deepEqual(said, [
            "basic-pd| basic-pd: 2 steps\n  1. a\n  2. b",
            "basic-tidb| basic-tidb: 1 step\n  3. c",
            `${owner.urn.split("::").at(-1)}| basic: 3 steps: a; b; c`,
        ]);
    });

    it("is nothing where nothing is to be done", async () => {
        const { world, said } = listening();
        await preview(world, "pd", []);
        await preview(world, "tidb", []);
        assert.deepEqual(said, []);
    });

    it("says which gate could not be read though nothing else defers it, and Pulumi still sees no change", async () => {
        const { world, said } = listening();
        const failure = new KubernetesApiError("the API server answered 503", 503);
        const definition: GateDefinition<GateProgramInputs> = {
            replicasOf: () => 0,
            plan: () => Promise.reject(failure),
            effect: () => Promise.resolve(),
        };
        const news = told({ component: "tikv", statusUrn: "urn::basic-tikv" });
        const gate = createGate(definition, world);
        const olds = { ...news, replicas: 0, plan: [], deferred: "" };
        const { inputs } = await gate.check(olds, news, true);
        assert.deepEqual(await gate.diff("", olds, inputs), { changes: false });
        assert.deepEqual(inputs, olds);
        await preview(world, "tidb", [task("c")]);
        assert.match(said.at(-1) ?? "", /basic-tikv could not be read: the API server answered 503$/);
    });

    it("is the same when a gate is checked again in the same process: nothing counts twice", async () => {
        const { world, said } = listening();
        await preview(world, "pd", [task("a")]);
        await preview(world, "tidb", [task("b")]);
        const first = said.splice(0);
        await preview(world, "pd", [task("a")]);
        await preview(world, "tidb", [task("b")]);
        assert.deepEqual(said, first);
    });

    it("is a summary for each of several clusters, also of one name in two namespaces or Kubernetes clusters", async () => {
        const { world, said } = listening();
        const others = [{ cluster: "other" }, { namespace: "two" }, { access: { context: "two" } }];
        await preview(world, "pd", [task("a")]);
        for (const other of others) {
            await preview(world, "tidb", [task("b")], other);
        }
        await preview(world, "tidb", []);
        assert.deepEqual(
            said.filter((line) => / step: /.test(line)).map((line) => line.split("| ")[1]),
            ["other: 1 step: b", "basic: 1 step: b", "basic: 1 step: b", "basic: 1 step: a"],
        );
    });

    it("is under the resource's name while the cluster's name is not known", async () => {
        const { world, said } = listening();
        await preview(world, "tidb", [], { cluster: unknownValue, statusUrn: "urn::shop-ready" });
        assert.deepEqual(
            said.map((line) => line.split("| ")[1]),
            ["shop-ready: plan deferred: cluster is known only during the update"],
        );
    });

    it("is not the plan of a gate that refuses: the error says why", async () => {
        const { world, said } = listening();
        const refused = { property: "spec.tikv.replicas", reason: "too few" };
        const definition: GateDefinition<GateProgramInputs> = {
            replicasOf: () => 0,
            plan: () => Promise.resolve({ plan: [task("a")], refused }),
            effect: () => Promise.resolve(),
            isLast: true,
        };
        await createGate(definition, world).check({}, told({ component: "tikv" }), true);
        assert.deepEqual(said, []);
    });

    it("is also said by the ClusterGate", async () => {
        const { world, said } = listening();
        const free = { ...world, ...clusterWorld({ lease: leaseOf({ owner: undefined }) }), progress: world.progress };
        await createClusterGate(free).check(deployed(), told(), true);
        assert.deepEqual(said, [`urn| basic: 1 step\n  1. record ${owner.stack} as the owner of the cluster`]);
    });
});

describe("an update", () => {
    it("does not repeat the plan: each step is reported when it is taken", async () => {
        const { world, said } = listening();
        const definition: GateDefinition<GateProgramInputs> = {
            replicasOf: () => 0,
            plan: () => Promise.resolve({ plan: [task("a")] }),
            effect: () => Promise.resolve(),
            isLast: true,
        };
        await createGate(definition, world).check({}, told());
        await createClusterGate({
            ...world,
            ...clusterWorld({ lease: leaseOf({ owner: undefined }) }),
            progress: world.progress,
        }).check(deployed(), told());
        assert.deepEqual(said, []);
    });
});

describe("the input that says that it is a preview", () => {
    it("is for this check alone: it would differ between each preview and its update", async () => {
        const access = { kubeconfig: "/nowhere/at/all" };
        const { inputs } = await gates.check({}, told({ gate: "rollout", component: "tikv", access, isPreview: true }));
        assert.equal("isPreview" in inputs, false);
    });
});
