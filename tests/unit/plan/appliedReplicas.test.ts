import assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { clusterWorld, leaseOf, scaledByHand, told as clusterTold } from "../gates/clusterWorld";
import { basic, planOf } from "./livePlan";

const texts = ({ entries }: Awaited<ReturnType<typeof planOf>>): string[] =>
    entries.map(({ gate, text }) => `${gate}: ${text}`);
const preview = async (world: ReturnType<typeof clusterWorld>, applied: number, desired: number, was = desired) => {
    scaledByHand(world, "tidb");
    const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };
    const told = clusterTold({
        gate: "scale",
        component: "tidb",
        desiredReplicas: desired,
        policy: defaultPolicy,
        fixed,
    });
    const olds = { ...told, desiredReplicas: was, replicas: applied, plan: [], deferred: "" };
    const { inputs } = await createGate(scaleGateDefinition, world).planOf(olds, told);
    return (inputs.plan as string[]).filter((one) => /scale StatefulSet|take over/.test(one));
};

describe("the numbers that `plan FILE` takes for the applied ones", () => {
    it("are those with replacements, which the update of a replacement has applied", async () => {
        // The last update applied 2 + 1 replacement; then somebody scaled to 2 by hand.
        const failures = { "basic-tidb-0": { uid: "u", counts: true, at: 0, why: "its node is gone" } };
        const records = { ...noRecords(), failovers: { tidb: { uid: "u", failures } } } as never;
        const live = { pd: {}, tikv: {}, tidb: { live: 2, pods: { 0: { ready: false } }, trouble: { 0: "refused" } } };
        const expected = await preview(clusterWorld({ live, lease: leaseOf({ records }) }), 3, 2);
        const scales = "scale StatefulSet basic-tidb from 2 to 3: ";
        assert.ok(expected.join().includes(scales), "the preview says so");
        const plan = texts(
            await planOf(basic(), { world: { live, lease: leaseOf({ records }) }, scaledByHand: "tidb" }),
        );
        assert.ok(plan.join().includes(`tidb-scale: ${scales}`));
    });
});
