import * as assert from "node:assert/strict";
import * as path from "node:path";
import { describeOnEngine } from "../support/e2e/arena";
import { assertNothingLeft, assertOk, assertUnchanged, planOf, stoppedPods } from "../support/e2e/expect";
import { openStack } from "../support/e2e/stack";

const program = path.resolve(__dirname, "../../examples/tiproxy");

describeOnEngine("TiProxy", (arena) => {
    it("comes up before TiDB, restarts one at a time for a new template only, and leaves", async () => {
        const stack = openStack(arena(), "tiproxy", program, "proxied");
        const options = { skipPreview: true, config: { namespace: "tiproxy" } };
        const up = assertOk(await stack.run("up", options));
        assert.equal((up.outputs.images as Record<string, string>).tiproxy, "pingcap/tiproxy:v1.3.0");
        assert.match(up.outputs.host as string, /^proxied-tiproxy\.[^.]+\.svc:6000$/);

        const played = stack.played();
        const before = played.events.length;
        const logged = { ...options, config: { ...options.config, proxyLogLevel: "debug" } };
        assertOk(await stack.run("up", logged));
        assert.deepEqual(stoppedPods(played, before), [], "a changed configuration is read while it runs");

        const more = { ...logged, config: { ...logged.config, proxyCpu: "2" } };
        const plan = planOf(assertOk(await stack.run("up", more)), "proxied-tiproxy-rollout");
        assert.deepEqual(
            plan.map((line) => line.replace(/ \(.*?\)/g, "")),
            [1, 0].map((one) => `restart proxied-tiproxy-${one}: delete pod; until Ready, /api/debug/health healthy`),
        );
        assert.deepEqual(stoppedPods(played, before), ["proxied-tiproxy-1", "proxied-tiproxy-0"]);

        const fewer = { ...more, config: { ...more.config, proxies: "1" } };
        assertOk(await stack.run("up", fewer));
        assert.deepEqual(stoppedPods(played, before).slice(2), ["proxied-tiproxy-1"]);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.run("up", fewer));
        assertOk(await stack.run("destroy", fewer));
    });
});
