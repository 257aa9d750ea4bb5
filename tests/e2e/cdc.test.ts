import * as assert from "node:assert/strict";
import * as path from "node:path";
import { describeOnEngine } from "../support/e2e/arena";
import { assertNothingLeft, assertOk, assertUnchanged, eventsOf, planOf, stoppedPods } from "../support/e2e/expect";
import { openStack } from "../support/e2e/stack";

const program = path.resolve(__dirname, "../../examples/cdc");

describeOnEngine("TiCDC", (arena) => {
    const options = { skipPreview: true, config: { namespace: "cdc" } };

    it("comes up, and no capture restarts or leaves before its ownership and its tables are with others", async () => {
        const stack = openStack(arena(), "cdc", program, "source");
        const up = assertOk(await stack.run("up", options));
        assert.equal((up.outputs.images as Record<string, string>).ticdc, "pingcap/ticdc:v8.5.3");

        const played = stack.played();
        const before = played.events.length;
        const changed = { ...options, config: { ...options.config, newArchitecture: "true" } };
        const plan = planOf(assertOk(await stack.run("up", changed)), "source-ticdc-rollout");
        const restarts = plan.filter((line) => line.startsWith("restart "));
        assert.deepEqual(
            restarts.map((line) => line.split(" (")[0]),
            ["restart source-ticdc-2", "restart source-ticdc-1", "restart source-ticdc-0"],
        );
        assert.match(
            restarts[0],
            /move its tables to other captures, .*delete pod; until Ready, its capture registered/,
        );
        const stops = eventsOf(played, ["pod-stopped"], before);
        assert.deepEqual(
            stops.map(({ pod, tables, ownedTicdc }) => ({ pod, tables, ownedTicdc })),
            [2, 1, 0].map((one) => ({ pod: `source-ticdc-${one}`, tables: 0, ownedTicdc: false })),
            "nothing else restarts",
        );

        const fewer = { ...changed, config: { ...changed.config, captures: "2" } };
        const beforeLess = played.events.length;
        assert.match(
            planOf(assertOk(await stack.run("up", fewer)), "source-ticdc-scale").join("\n"),
            /^remove source-ticdc-2 \(3 to 2 replicas\): (give up the ownership, )?move its tables to other captures/,
        );
        const [left, ...others] = eventsOf(played, ["pod-stopped"], beforeLess);
        assert.deepEqual(others, []);
        assert.deepEqual([left.pod, left.tables, left.ownedTicdc], ["source-ticdc-2", 0, false]);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.run("up", fewer));
        assertOk(await stack.run("destroy", fewer));
    });

    it("goes on with the tables that a capture keeps, once gracefulShutdownTimeout is over", async () => {
        const config = { namespace: "cdc-slow", gracefulShutdownTimeout: "3s" };
        const stack = openStack(arena(), "cdc-slow", program, "source");
        assertOk(await stack.run("up", { config, skipPreview: true }));
        const played = stack.played();
        played.faults.captureDrainNeverEnds = true;
        const before = played.events.length;
        assertOk(await stack.run("up", { config: { ...config, newArchitecture: "true" }, skipPreview: true }));
        assert.deepEqual(stoppedPods(played, before), ["source-ticdc-2", "source-ticdc-1", "source-ticdc-0"]);
        assert.ok(eventsOf(played, ["pod-stopped"], before).some(({ tables = 0 }) => tables > 0));
        assertOk(await stack.run("destroy", { config, skipPreview: true }));
    });
});
