import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import type { CommonInputs, Gate, GateDefinition } from "../../../provider/gates/gateDefinition";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { suspendGateDefinition } from "../../../provider/gates/suspendGate";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { showPlan } from "../../../provider/lifecycle/walks/describePlan";
import { clusterWorld, type ClusterWorld, told as clusterTold } from "./clusterWorld";
import { failsWith } from "../../support/failsWith";

const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };
const common = { component: "tikv", policy: { ...defaultPolicy, evictionWindow: false } as const, fixed };
const rows: [string, GateDefinition<never>, Record<string, unknown>, ClusterWorld["live"]["tikv"], string][] = [
    [
        "rollout",
        rolloutGateDefinition as GateDefinition<never>,
        { ...common, desiredReplicas: 4, templateRevision: "new-template" },
        { stale: [3, 2] },
        "restart basic-tikv-3, the first of 2 steps",
    ],
    [
        "scale",
        scaleGateDefinition as GateDefinition<never>,
        { ...common, desiredReplicas: 3 },
        { live: 5 },
        "remove basic-tikv-4, the first of 2 steps",
    ],
    ["suspend", suspendGateDefinition as GateDefinition<never>, common, {}, "suspend basic-tikv"],
];

for (const [name, definition, inputs, live, lets] of rows) {
    describe(`a ${name} gate with approval`, () => {
        const opened = (): { world: ClusterWorld; gate: Gate } => {
            const world = clusterWorld({ live: { tikv: live } });
            world.lease = { ...world.lease!, pdClusterId: world.lease!.pdClusterId ?? "7" };
            return { world, gate: createGate(definition as unknown as GateDefinition<CommonInputs>, world) };
        };
        const told = (approval?: string) => clusterTold({ gate: name, ...inputs, ...(approval ? { approval } : {}) });
        const planOf = async (approval?: string) => {
            const { inputs: found } = await opened().gate.check({}, told(approval));
            return found.plan as string[];
        };

        it("shows in its plan how to consent, and the same steps as without approval", async () => {
            const [without, plan] = [await planOf(), await planOf("step")];
            assert.deepEqual(plan.slice(0, -1), without);
            assert.match(plan.at(-1)!, /`npx pulumi-tidb approve basic [0-9a-f]{12} --namespace \w+`/);
            assert.ok(plan.at(-1)!.endsWith(lets), plan.at(-1));
        });

        it("says in its plan that somebody has consented to it already", async () => {
            const { world, gate } = opened();
            const check = async () => ((await gate.check({}, told("step"))).inputs.plan as string[]).at(-1)!;
            const before = await check();
            const [digest] = /[0-9a-f]{12}/.exec(before)!;
            const given = { [digest]: { by: "ana@laptop", at: Date.UTC(2026, 0, 6) } };
            world.lease = { ...world.lease!, approvals: { given, goals: {}, asOf: Date.UTC(2026, 0, 7) } };
            assert.equal(await check(), before, "an input must not change between a preview and its update");
            const { plan } = await gate.planOf({}, told("step"));
            assert.equal(
                showPlan(plan).at(-1),
                `${before}; already approved by ana@laptop at 2026-01-06 00:00:00 UTC, not used yet`,
            );
        });

        it("does nothing without consent, and waits for the digest that its plan has shown", async () => {
            const { world, gate } = opened();
            const { inputs: found } = await gate.check({}, told("step"));
            const waits: (string | undefined)[] = [];
            const open = world.open;
            world.open = async (...given) => {
                const noteApprovalWait = (_of: string, wait?: { digest: string }) =>
                    Promise.resolve(void waits.push(wait?.digest));
                return { ...(await open(...given)), noteApprovalWait, noteFirstRevision: () => Promise.resolve() };
            };
            await failsWith(gate.update("", told("step"), found), "approval-timed-out");
            assert.ok((found.plan as string[]).at(-1)!.includes(` ${waits[0]} `), "the same digest");
            assert.deepEqual(new Set(waits).size, 2, "it does not change, and the note is removed");
            const idle = world.done.filter((one) => !one.includes("waits for approval"));
            assert.deepEqual(idle, []);
        });

        it("does not run again because approval is switched on", async () => {
            const outs = { ...told(), plan: [], deferred: "" };
            assert.deepEqual(await opened().gate.diff("", outs, { ...outs, approval: "step" }), { changes: false });
        });
    });
}
