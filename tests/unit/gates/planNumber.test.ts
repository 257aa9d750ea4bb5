import * as assert from "node:assert/strict";
import * as gates from "../../../provider/gates/gates";
import { withPlanNumber } from "../../../provider/gates/planNumber";
import { deployed, told } from "./clusterWorld";
import { type GateState, isShownByRefresh, isUpdated } from "./pulumiDiff";

type Values = Record<string, unknown>;

const step = ["restart basic-tikv-3"];
/** Gates whose `diff` is the common one, and those with another. */
const kinds = ["cluster", "scale", "rollout", "settings", "ready", "job", "restore", "logBackup"];

/** The inputs that `check` makes for a gate. */
const checkedInputs = (gate: string, more: Values): Values => ({ ...deployed({ gate }), ...more });

/** Pulumi's state after an update. @param outputs those that the update did not take from its inputs */
function updated(olds: Values, checked: Values, outputs: Values = {}): GateState {
    const inputs = withPlanNumber(olds, checked);
    return { inputs, outputs: { ...inputs, ...outputs } };
}

describe("the number of a gate's plan", () => {
    for (const gate of kinds) {
        it(`keeps a refresh from showing the gate ${gate} after an update that had steps`, async () => {
            const first = updated({}, checkedInputs(gate, { plan: step }));
            assert.equal(await isShownByRefresh(first), false);
            const second = updated(first.inputs, checkedInputs(gate, { plan: step }));
            assert.equal(await isShownByRefresh(second), false);
        });

        it(`lets the gate ${gate} take the very steps of the last update again`, async () => {
            const state = updated({}, checkedInputs(gate, { plan: step }));
            const next = withPlanNumber(state.inputs, checkedInputs(gate, { plan: step }));
            assert.equal(await isUpdated(state, next), true);
        });
    }

    it("keeps a refresh from showing a ScaleGate that let more replicas through than its plan said", async () => {
        const checked = checkedInputs("scale", { plan: step, replicas: 3 });
        assert.equal(await isShownByRefresh(updated({}, checked, { replicas: 4 })), false);
    });

    it("is not what makes a ScaleGate run that is to let through what its inputs say again", async () => {
        const state = updated({}, checkedInputs("scale", { plan: [], replicas: 3 }), { replicas: 4 });
        assert.equal(await isUpdated(state, { ...state.inputs }), true);
    });

    it("leaves to Pulumi which inputs it shows: those that differ", async () => {
        const { inputs, outputs } = updated({}, checkedInputs("rollout", { plan: step }));
        const planned = withPlanNumber(inputs, checkedInputs("rollout", { plan: step }));
        assert.deepEqual(await gates.diff("", outputs, planned), {});
        assert.deepEqual(await gates.diff("", outputs, { ...inputs, plan: [], templateRevision: "b1" }), {});
    });

    it("counts on after updates without a plan, so no later plan has the number of one that was carried out", async () => {
        const { inputs, outputs } = updated({}, checkedInputs("scale", { plan: step }));
        // An update without changes stores the new inputs and keeps the outputs.
        const idle = withPlanNumber(inputs, checkedInputs("scale", { plan: [] }));
        assert.deepEqual(await gates.diff("", outputs, idle), { changes: false });
        const next = withPlanNumber(idle, checkedInputs("scale", { plan: step }));
        assert.equal(next.planNumber, 2);
        assert.equal(await isUpdated({ inputs: idle, outputs }, next), true);
    });

    it("is the same in a preview, in its update, and after an update that failed", () => {
        const olds = checkedInputs("scale", { plan: [], planNumber: 7 });
        const checked = () => withPlanNumber(olds, checkedInputs("scale", { plan: step }));
        assert.deepEqual([checked().planNumber, checked().planNumber], [8, 8]);
    });

    it("is in no input of a gate that never had a plan", () => {
        assert.equal("planNumber" in withPlanNumber({}, checkedInputs("scale", { plan: [] })), false);
    });

    it("does not make a gate run that has nothing to do", async () => {
        const olds = checkedInputs("rollout", { plan: [], planNumber: 2 });
        assert.deepEqual(await gates.diff("", olds, { ...olds, planNumber: 3 }), { changes: false });
    });

    it("is kept by `check` where there is no plan", async () => {
        const access = { kubeconfig: "/nowhere/at/all" };
        const scale = told({ gate: "rollout", component: "tikv", desiredReplicas: 4, access });
        const { inputs } = await gates.check({ planNumber: 4 }, scale);
        assert.equal(inputs.planNumber, 4);
    });

    for (const [gate, before, after] of [
        ["job", { job: "b-1" }, { job: "b-2" }],
        ["restore", { attempt: 1 }, { attempt: 2 }],
        ["logBackup", { wanted: "running" }, { wanted: "stopped" }],
    ] as [string, Values, Values][]) {
        it(`lets the gate ${gate} run where a version without numbers wrote the inputs meanwhile`, async () => {
            const { outputs } = updated({}, checkedInputs(gate, { ...before, plan: step }));
            const byEarlierVersion = checkedInputs(gate, { ...before, plan: [] });
            const next = withPlanNumber(byEarlierVersion, checkedInputs(gate, { ...after, plan: step }));
            assert.equal(next.planNumber, outputs.planNumber);
            assert.equal(await isUpdated({ inputs: byEarlierVersion, outputs }, next), true);
        });
    }
});
