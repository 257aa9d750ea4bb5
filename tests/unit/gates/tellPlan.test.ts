import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import * as gates from "../../../provider/gates/gates";
import { createGate } from "../../../provider/gates/gate";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { type GateDefinition, Unreadable } from "../../../provider/gates/gateDefinition";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { type GateProgramInputs, unknownValue } from "../../../provider/gates/inputs";
import type { PlanItem } from "../../../provider/lifecycle/walks/describePlan";
import type { PlanStep } from "../../../provider/lifecycle/walks/planStep";
import { clusterWorld, deployed, leaseOf, owner, told } from "./clusterWorld";
import { repeats } from "../../support/repeats";

/** A world that keeps each message with the end of the URN that it is for. */
function listening(): { world: GateWorld; said: string[] } {
    const said: string[] = [];
    const world = clusterWorld();
    world.progress = ({ statusUrn }) => ({
        info: (message) => void said.push(`${statusUrn.split("::").at(-1)}| ${message}`),
        warn: ({ message }) => void said.push(`${statusUrn.split("::").at(-1)}| warning: ${message}`),
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

describe("the plan in a preview", () => {
    it("is on each gate's line with its steps numbered through, and its summary on the line of the TidbCluster", async () => {
        const { world, said } = listening();
        await preview(world, "pd", [task("a"), task("b")]);
        await preview(world, "tikv", []);
        await preview(world, "tidb", [task("c")]);
        assert.deepEqual(said, [
            "basic-pd| basic-pd: 2 steps\n  1. a\n  2. b",
            "basic-tidb| basic-tidb: 1 step\n  3. c",
            `${owner.urn.split("::").at(-1)}| basic: 3 steps: 3 tasks`,
        ]);
    });

    it("names what a warning of the first gate puts at risk on the line of each gate, and in the summary", async () => {
        const { world, said } = listening();
        const risks = ["TiDB does not support going back"];
        const key = JSON.stringify([...["access", "namespace", "cluster"].map((one) => told({})[one])]);
        world.plans.set(key, new Map([["urn::basic-cluster", { of: "basic", plan: [], deferred: "", risks }]]));
        await preview(world, "tidb", [task("a")]);
        const words = "1 step; risk: see the warning: TiDB does not support going back";
        assert.equal(said[0], `basic-tidb| basic-tidb: ${words}\n  1. a`);
        assert.equal(said[1].split("| ")[1], `basic: ${words.replace("1 step", "1 step: a")}`);
    });

    const step = (kind: PlanStep["kind"], target: string): PlanItem => ({
        is: "step",
        step: { component: "tikv", kind, target, why: "", does: [], waitsFor: "Ready", estimateSeconds: 30 },
    });

    it("names consents to other plans once", async () => {
        const { world, said } = listening();
        const approval = (digest: string): PlanItem => ({
            is: "approval",
            digest,
            words: `approve ${digest}`,
            given: "already approved",
            others: "not approved: 000000000000",
        });
        await preview(world, "tikv", [task("a"), approval("a1")]);
        await preview(world, "tidb", [task("b"), approval("b2")]);
        assert.ok(said[0].endsWith("approve a1; not approved: 000000000000; already approved"), said[0]);
        assert.ok(said[1].endsWith("approve b2; already approved"), said[1]);
    });

    it("says once for the cluster why plans are deferred", async () => {
        const { world, said } = listening();
        for (const component of ["pd", "tikv"]) {
            const definition: GateDefinition<GateProgramInputs> = {
                replicasOf: () => 0,
                plan: () => Promise.reject(new Unreadable("pd-answers", "PD is unreachable", [task("a")])),
                effect: () => Promise.resolve(),
            };
            const statusUrn = `urn::basic-${component}`;
            await createGate(definition, world).check({}, told({ component, statusUrn }), true);
        }
        assert.deepEqual(said, [
            "basic-pd| basic-pd: 1 step; risk not known yet; deferred: PD is unreachable\n  1. a",
            "basic-tikv| basic-tikv: 1 step; risk not known yet; deferred: the plan of basic-pd says why\n  2. a",
        ]);
    });

    it("names a risk of some members on the lines of their gates only, and in the summary", async () => {
        const { world, said } = listening();
        const memberRisks = [{ words: "pods of TiKV do not start", members: ["tikv" as const] }];
        const key = JSON.stringify([...["access", "namespace", "cluster"].map((one) => told({})[one])]);
        world.plans.set(key, new Map([["urn::basic-cluster", { of: "basic", plan: [], deferred: "", memberRisks }]]));
        await preview(world, "tikv", [task("a")]);
        await preview(world, "tidb", [task("b")]);
        assert.deepEqual(
            said.map((one) => one.includes("risk: see the warning: pods of TiKV do not start")),
            [true, false, true],
        );
    });

    it("leaves it to the RolloutGate to say which pods restart on a newer template", async () => {
        const { world, said } = listening();
        await preview(world, "tidb", [
            {
                is: "missing",
                words: "wait for basic-tidb-0 to run the newest template",
                pod: "basic-tidb-0",
                isStale: true,
            },
        ]);
        assert.deepEqual(said, []);
    });

    it("does not say again what lacks until an earlier gate has taken its step with that pod", async () => {
        const { world, said } = listening();
        // After a clean-up the pod still does not exist.
        await preview(world, "tikv", [step("start", "basic-tikv-3"), step("clean-up", "basic-tikv-2")]);
        const lacking = (pod: string, more: object = {}): PlanItem => ({
            is: "missing",
            words: `wait for ${pod}`,
            pod,
            ...more,
        });
        await preview(world, "tidb", [
            lacking("basic-tikv-3"),
            lacking("basic-tikv-2"),
            // It exists and is not Ready: that it starts is not up to this update.
            lacking("basic-tikv-3", { exists: true }),
        ]);
        assert.equal(
            said[1],
            "basic-tidb| basic-tidb: the update waits for 2 conditions\n  - wait for basic-tikv-2\n  - wait for basic-tikv-3",
        );
    });

    it("does not say that the update waits if all that lacks comes with steps", async () => {
        const { world, said } = listening();
        await preview(world, "tikv", [step("restart", "basic-tikv-0")]);
        const lacking: PlanItem = { is: "missing", words: "wait for basic-tikv-0", pod: "basic-tikv-0" };
        // The restart also brings a new template to a pod that is not Ready.
        await preview(world, "tidb", [lacking, { ...lacking, exists: true }]);
        assert.deepEqual(
            said.map((line) => line.split("|")[0]),
            ["basic-tikv", owner.urn.split("::").at(-1)],
        );
    });

    it("is not shown if there is nothing to do", async () => {
        const { world, said } = listening();
        await preview(world, "pd", []);
        await preview(world, "tidb", []);
        assert.deepEqual(said, []);
    });

    it("says which gate could not be read even if nothing else defers it, and Pulumi still sees no change", async () => {
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
        repeats(said.at(-1), "basic-tikv", "the API server answered 503");
    });

    it("is the same when a gate is checked again in the same process", async () => {
        const { world, said } = listening();
        await preview(world, "pd", [task("a")]);
        await preview(world, "tidb", [task("b")]);
        const first = said.splice(0);
        await preview(world, "pd", [task("a")]);
        await preview(world, "tidb", [task("b")]);
        assert.deepEqual(said, first);
    });

    it("has a summary for each of several clusters, also with one name in two namespaces or Kubernetes clusters", async () => {
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

    it("is shown under the resource's name while the cluster's name is unknown", async () => {
        const { world, said } = listening();
        await preview(world, "tidb", [], { cluster: unknownValue, statusUrn: "urn::shop-ready" });
        assert.deepEqual(
            said.map((line) => line.split("| ")[1]),
            ["shop-ready: plan deferred: cluster is known only during the update"],
        );
    });

    it("is not done if a later gate refuses, which says so of the steps that were shown", async () => {
        const { world, said } = listening();
        await preview(world, "pd", [task("a"), task("b")]);
        await preview(world, "tikv", [{ is: "note", code: "config-change", words: "c", isWarning: false }]);
        const definition: GateDefinition<GateProgramInputs> = {
            replicasOf: () => 0,
            plan: () => Promise.resolve({ plan: [], refused: { property: "spec.tidb", reason: "no" } }),
            effect: () => Promise.resolve(),
        };
        const gate = createGate(definition, world);
        const news = told({ component: "tidb", statusUrn: "urn::basic-tidb" });
        await gate.check({}, news, true);
        const beside =
            "warning: this preview fails, because a gate refuses what the program asks for: see its error. `pulumi up` with a preview takes no step. Without a preview (`--skip-preview`, the Automation API) it can take the";
        assert.equal(said.at(-1), `basic-tidb| ${beside} 2 steps of basic-pd before it reaches the refusal`);
        said.length = 0;
        await gate.check({}, news, false);
        assert.equal(said.length, 0);
        // Pulumi has one update for all clusters of the program, also for those whose gates come later.
        await preview(world, "tidb", [task("d")], { cluster: "other", statusUrn: "urn::other-tidb" });
        assert.ok(
            said.includes(`other-tidb| ${beside} 1 step of other-tidb before it reaches the refusal`),
            String(said),
        );
        said.length = 0;
        await preview(world, "ticdc", [], { cluster: "other", statusUrn: "urn::other-ticdc" });
        assert.ok(!said.some((line) => line.includes("warning")), String(said));
    });

    it("is not done if a gate of another cluster refuses", async () => {
        const { world, said } = listening();
        await preview(world, "pd", [task("a")]);
        const definition: GateDefinition<GateProgramInputs> = {
            replicasOf: () => 0,
            plan: () => Promise.resolve({ plan: [], refused: { property: "spec.tidb", reason: "no" } }),
            effect: () => Promise.resolve(),
        };
        const refusing = told({ component: "tidb", cluster: "other", statusUrn: "urn::other-tidb" });
        await createGate(definition, world).check({}, refusing, true);
        repeats(said.at(-1), "other-tidb| warning: ", "the 1 step of basic-pd");
    });

    it("does not include a gate that refuses, whose error says why", async () => {
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

    it("includes the ClusterGate's steps", async () => {
        const { world, said } = listening();
        const free = { ...world, ...clusterWorld({ lease: leaseOf({ owner: undefined }) }), progress: world.progress };
        await createClusterGate(free).check(deployed(), told(), true);
        assert.deepEqual(said, [`urn| basic: 1 step\n  1. record ${owner.stack} as the owner of the cluster`]);
    });
});

describe("an update", () => {
    it("does not repeat the plan, because each step is reported when it is taken", async () => {
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

describe("the input that marks a preview", () => {
    it("is used in this check only, so that preview and update do not differ", async () => {
        const access = { kubeconfig: "/nowhere/at/all" };
        const { inputs } = await gates.check({}, told({ gate: "rollout", component: "tikv", access, isPreview: true }));
        assert.equal("isPreview" in inputs, false);
    });
});
