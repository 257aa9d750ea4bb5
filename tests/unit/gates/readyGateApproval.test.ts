import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { readyGateDefinition } from "../../../provider/gates/readyGate";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { clusterWorld, told } from "./clusterWorld";
import { failsWith } from "../../support/failsWith";

describe("the last gate of a cluster whose steps need consent", () => {
    it("restarts nothing without consent: somebody changed a StatefulSet after its own gate was done", async () => {
        // Each consent may take an hour. Meanwhile somebody runs `kubectl rollout restart` on a member that is done.
        const live = { pd: {}, tikv: {}, tidb: { stale: [1] } };
        const world = clusterWorld({ live });
        world.lease = { ...world.lease!, pdClusterId: "7" };
        world.changes = ({ do: kind }) => {
            live.tidb = kind === "delete-pod" ? { stale: [] } : live.tidb;
        };
        const policy = { ...defaultPolicy, podReadyTimeoutSeconds: 60 };
        const members = (["pd", "tikv", "tidb"] as const).map((component) => ({
            component,
            replicas: { pd: 3, tikv: 4, tidb: 2 }[component],
            policy,
        }));
        const inputs = { ...told({ gate: "ready", members, approval: "step" }), replicas: 9, plan: [], deferred: "" };
        const update = createGate(readyGateDefinition, world).update("", inputs, inputs);
        await failsWith(update, "step-not-approved", { target: "basic-tidb-1" });
        assert.ok(!world.done.includes("delete-pod"), world.done.join(", "));
    });
});
