import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertNothingLeft, assertOk, eventsOf, until } from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { statusOfStack, sweepStack } from "../support/e2e/statusCommand";
import { codesOf } from "../support/repeats";

/** What matters is TiDB: one server for each of the others. */
const at = (version: string): ClusterChange => ({
    pd: { replicas: 1 },
    tikv: { replicas: 1 },
    tidb: { replicas: 2 },
    version,
    operations: { timeouts: { podReadySeconds: 20 } },
});

describeOnEngine("a smooth upgrade of TiDB", (arena) => {
    let stack: ClusterStack;
    before(async () => {
        stack = await clusterStack(arena(), "smooth");
        assertOk(await stack.up(at("v8.5.1")));
    });
    const told = (since: number) =>
        eventsOf(stack.played(), ["upgrade-started", "upgrade-finished", "pod-stopped"], since)
            .filter(({ kind, pod }) => kind !== "pod-stopped" || pod?.startsWith("demo-tidb-"))
            .map(({ kind, pod }) => (kind === "pod-stopped" ? `stopped ${pod}` : kind));
    const whole = ["upgrade-started", "stopped demo-tidb-1", "stopped demo-tidb-0", "upgrade-finished"];

    it("begins before the first TiDB pod stops, and ends after the last one is Ready", async () => {
        const before = stack.played().events.length;
        assertOk(await stack.up(at("v8.5.2")));
        assert.deepEqual(told(before), whole);
        await assertNothingLeft(arena(), stack);
    });

    it("that TiDB refuses stops the update before any TiDB pod stops, and the next update goes on", async () => {
        const played = stack.played();
        const before = played.events.length;
        const faults = arena().sandbox.dataPlane.faults("smooth", "demo").tidb;
        faults["demo-tidb-0"] = { refusesUpgrade: true };
        faults["demo-tidb-1"] = { refusesUpgrade: true };
        assertFailed(
            await stack.up(at("v8.5.3")),
            /upgrade-started/,
            /answers 400: context deadline exceeded/,
            /upgrade\/show/,
        );
        assert.deepEqual(told(before), []);
        delete faults["demo-tidb-0"];
        delete faults["demo-tidb-1"];
        assertOk(await stack.up(at("v8.5.3")));
        assert.deepEqual(told(before), whole);
    });

    it("of a killed update is in the status, is not ended by a sweep while old pods run, and is finished by the next update", async () => {
        const played = stack.played();
        const before = played.events.length;
        const run = stack.startUp(at("v8.5.4"));
        await until("the first TiDB pod stops", () =>
            eventsOf(played, ["pod-stopped"], before).find(({ pod }) => pod === "demo-tidb-1"),
        );
        run.kill();
        await run.done;
        const { status } = await statusOfStack(stack, arena().sandbox.kubeconfig);
        assert.ok(
            codesOf(status.remarks).includes("smooth-upgrade-unfinished") ||
                status.operation?.pending.some((words) => words.includes("from v8.5.3 to v8.5.4")),
            JSON.stringify(status.remarks),
        );
        await sweepStack(stack, arena().sandbox.kubeconfig, "--yes");
        assert.ok(!told(before).includes("upgrade-finished"));
        assertOk(await stack.up(at("v8.5.4")));
        assert.deepEqual(told(before), whole);
        await assertNothingLeft(arena(), stack);
    });
});
