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
        const faults = arena().sandbox.dataPlane.faults("two-runs", "demo");
        faults.leaderTransferNeverHappens = true;
        const first = stack.startUp({ version: "v8.5.3" });
        await until(
            "the first run moves PD's leadership",
            () => eventsOf(played, ["leader-transfer-submitted"], before)[0],
        );
        let waits = false;
        const second = colleague.startUp(
            { version: "v8.5.3" },
            { onLine: (line) => (waits ||= /waiting for \S+@\S+, process \d+ \(\w+\): roll out demo-pd/.test(line)) },
        );
        await until("the second run says whom it waits for", () => waits || undefined);
        // It goes on only now, so that the second has waited while the first worked.
        faults.leaderTransferNeverHappens = false;
        assertOk(await first.done);
        assertOk(await second.done);
        await assertVersion(arena(), stack, "v8.5.3", 8);
        assert.equal(stoppedPods(played, before).length, 8);
        assert.equal(new Set(stoppedPods(played, before)).size, 8);
        assertSafeStops(played, before);
        await assertNothingLeft(arena(), stack);
    });
});
