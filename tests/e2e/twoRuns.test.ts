import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    assertVersion,
    dataLoaded,
    eventsOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { clusterStack } from "../support/e2e/stack";

describeOnEngine("two runs at once on one cluster", (arena) => {
    it("take turns: the second says whom it waits for, each pod restarts once, and both end well", async () => {
        const stack = await clusterStack(arena(), "two-runs");
        assertOk(await stack.up({ version: "v8.5.2" }));
        const played = stack.played();
        await dataLoaded(played);
        const before = played.events.length;
        const colleague = stack.copy("-of-a-colleague");
        // Slow enough that the second run is there before the first is done.
        for (const pod of ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2"]) {
            arena().sandbox.dataPlane.faults("two-runs", "demo").stores[pod] = { evictedLeadersPerSecond: 15 };
        }
        const first = stack.startUp({ version: "v8.5.3" });
        await until("the first run restarts something", () => eventsOf(played, ["pod-stopped"], before)[0]);
        const second = colleague.startUp({ version: "v8.5.3" });
        const runs = await Promise.all([first.done, second.done]);
        runs.forEach(assertOk);
        const waited = runs.map((run) => run.output).join("\n");
        assert.match(waited, /waiting for \S+@\S+, process \d+: roll out demo-/);
        await assertVersion(arena(), stack, "v8.5.3", 8);
        assert.equal(stoppedPods(played, before).length, 8);
        assert.equal(new Set(stoppedPods(played, before)).size, 8);
        assertSafeStops(played, before);
        await assertNothingLeft(arena(), stack);
    });
});
