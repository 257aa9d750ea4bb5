import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { clusterWorld, told as clusterTold } from "./clusterWorld";
import { stepsIn } from "../../support/gates/stepsIn";

const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };
const told = clusterTold({ gate: "scale", component: "tidb", desiredReplicas: 2, policy: defaultPolicy, fixed });

describe("an update that goes on after the gate has passed and Pulumi has not applied the StatefulSet", () => {
    it("says which pods go: the state of the gate has the new number, that of the StatefulSet the old one", async () => {
        const world = clusterWorld({ live: { tidb: { live: 3 } } });
        const gate = createGate(scaleGateDefinition, world);
        const olds = { ...told, replicas: 2, plan: [], deferred: "" };
        const { inputs, plan } = await gate.planOf(olds, told);
        assert.deepEqual(stepsIn(plan), ["remove basic-tidb-2"]);
        await gate.update("", olds, inputs);
        assert.ok(
            world.done.some((one) => one.includes("removes basic-tidb-2")),
            world.done.join("\n"),
        );
    });
});
