import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertUnchanged,
    eventsOf,
    stoppedPods,
} from "../support/e2e/expect";
import { clusterStack } from "../support/e2e/stack";

describeOnEngine("Pump", (arena) => {
    it("is online before TiDB starts, online again after its restart, and offline before it leaves", async () => {
        const stack = await clusterStack(arena(), "pump");
        const pumps = (replicas: number, gc: number) => {
            const requests = { storage: "1Gi" };
            const pump = { replicas, requests, config: { gc }, configUpdateStrategy: "RollingUpdate" };
            return { version: "v7.5.3", pd: { replicas: 1 }, tidb: { replicas: 1 }, spec: { pump } };
        };
        assertOk(await stack.up(pumps(3, 7)));
        const played = stack.played();
        const before = played.events.length;
        assertOk(await stack.up(pumps(3, 8)));
        assert.deepEqual(stoppedPods(played, before), ["demo-pump-2", "demo-pump-1", "demo-pump-0"]);

        assertFailed(await stack.preview(pumps(1, 8)), /expected 2 replicas first/);
        assertOk(await stack.up(pumps(2, 8)));
        const [left, ...others] = eventsOf(played, ["pod-stopped"], before).slice(3);
        assert.deepEqual([left.pod, left.pumpState, others], ["demo-pump-2", "offline", []]);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(pumps(2, 8)));
        assertOk(await stack.destroy(pumps(2, 8)));
    });
});
