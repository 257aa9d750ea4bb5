import * as assert from "node:assert/strict";
import * as path from "node:path";
import { describeOnEngine } from "../support/e2e/arena";
import { assertNothingLeft, assertOk, assertUnchanged, assertVersion, eventsOf, planOf } from "../support/e2e/expect";
import { openStack } from "../support/e2e/stack";

const program = path.resolve(__dirname, "../../examples/microservices");

describeOnEngine("PD as microservices", (arena) => {
    it("comes up, though its servers need PD that comes after them; and no primary restarts before another is", async () => {
        const stack = openStack(arena(), "microservices", program, "split");
        const options = { skipPreview: true, config: { namespace: "microservices" } };
        const up = assertOk(await stack.run("up", options));
        assert.equal((up.outputs.images as Record<string, string>).tso, "pingcap/pd:v8.5.3");
        await assertVersion(arena(), stack, "v8.5.3", 12);
        assertUnchanged(await stack.run("up", options));

        const played = stack.played();
        const primaries = eventsOf(played, ["primary-elected"]);
        assert.deepEqual(primaries.map(({ component }) => component).sort(), ["scheduling", "tso"]);
        const primary = primaries.find(({ component }) => component === "tso")?.pod ?? "";
        const other = primary === "split-tso-0" ? "split-tso-1" : "split-tso-0";
        const before = played.events.length;

        const more = { config: { ...options.config, tsoCpu: "2" } };
        const preview = assertOk(await stack.run("preview", more));
        const plan = planOf(preview, "split-tso-rollout");
        assert.equal(plan.length, 2, plan.join("\n"));
        assert.ok(
            plan.some(
                (line) => line.startsWith(`restart ${primary} `) && line.includes(`transfer primary to ${other}`),
            ),
            plan.join("\n"),
        );
        assertOk(await stack.run("up", { ...more, skipPreview: true }));
        const stops = eventsOf(played, ["pod-stopped"], before);
        assert.deepEqual(
            stops.map(({ pod }) => pod),
            ["split-tso-1", "split-tso-0"],
            "nothing else restarts",
        );
        assert.ok(stops.every(({ wasPrimary }) => wasPrimary !== true));
        assert.ok(eventsOf(played, ["primary-transferred"], before).length >= 1);
        await assertNothingLeft(arena(), stack);

        assertOk(await stack.run("up", { ...more, config: { ...more.config, version: "v8.5.4" }, skipPreview: true }));
        await assertVersion(arena(), stack, "v8.5.4", 12);
        const rolled = eventsOf(played, ["pod-stopped"], before + stops.length).slice(-12);
        const order = [...new Set(rolled.map(({ component }) => component))];
        assert.deepEqual(order, ["tso", "scheduling", "pd", "tikv", "tidb"], "the operator's order");
        assert.ok(rolled.every(({ wasPrimary }) => wasPrimary !== true));
        assertOk(await stack.run("destroy", options));
    });
});
