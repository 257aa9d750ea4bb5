import assert from "node:assert/strict";
import type { PlanDocument } from "../../../plan/clusterPlan";
import type { GateTrace } from "../../../plan/traceOfPlan";
import { pinnedWords } from "../../support/pinned";
import { basic, planOfFile } from "./livePlan";

const upgraded = JSON.stringify(basic({ version: "v8.5.4" }));

async function tracesOf(world: object = {}): Promise<readonly GateTrace[]> {
    const { output } = await planOfFile(upgraded, { world, options: { trace: true } });
    return (JSON.parse(output) as PlanDocument).clusters[0].traces ?? [];
}

describe("pulumi-tidb plan --trace", () => {
    it("has the dry run of each gate, move by move, with what held and what was read of Kubernetes and PD", async () => {
        const traces = await tracesOf();
        const tikv = traces.find(({ gate }) => gate === "tikv-rollout");
        assert.ok(tikv !== undefined && tikv.end === "done");
        const begun = tikv.moves.find(({ condition }) => condition === "leaders-evicted");
        assert.ok(begun !== undefined && begun.holds.includes("other-stores-up"), JSON.stringify(begun));
        assert.ok(
            begun.read.some((fact) => fact.startsWith("stores (PD, 0.0 s old)")),
            begun.read.join(),
        );
        const ofKubernetes = begun.read.filter((fact) => fact.includes("(the API server"));
        assert.deepEqual(ofKubernetes.slice(0, 2), [
            "StatefulSet basic-tikv: 4 replicas (the API server)",
            "pods of tikv: 4 of 4 Ready, 4 on an older revision (the API server, 0.0 s old)",
        ]);
    });

    it("has nothing without the option", async () => {
        const { output } = await planOfFile(upgraded);
        assert.equal((JSON.parse(output) as PlanDocument).clusters[0].traces, undefined);
    });

    it("says where a gate is held, and what the decision has read", async () => {
        const live = { pd: {}, tikv: { evicted: [11] }, tidb: {} };
        const tikv = (await tracesOf({ live })).find(({ gate }) => gate === "tikv-rollout");
        assert.ok(tikv !== undefined && tikv.end.startsWith("held at no-foreign-eviction of basic-tikv-"));
        assert.deepEqual(tikv.moves, []);
        assert.ok(tikv.read.some((fact) => fact.startsWith("evictedStores (PD, ")));
    });

    const text = async (world: object = {}) =>
        (await planOfFile(upgraded, { world, options: { trace: true, output: "text" } })).output;
    pinnedWords("plan-trace", {
        "an upgrade": () => text(),
        "held by someone else's eviction": () => text({ live: { pd: {}, tikv: { evicted: [11] }, tidb: {} } }),
    });
});
