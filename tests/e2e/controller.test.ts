import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertNothingLeft, assertOk, dataLoaded, eventsOf, until } from "../support/e2e/expect";
import { RunningController } from "../support/e2e/runningController";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";

const small = { pd: { replicas: 1 }, tidb: { replicas: 1 } };
const upgraded = { ...small, tikv: { version: "v8.5.3" } };

describeOnEngine("the controller", (arena) => {
    let stack: ClusterStack;
    const controllers: RunningController[] = [];
    before(async () => {
        stack = await clusterStack(arena(), "watched");
        assertOk(await stack.up(small));
    });
    afterEach(function () {
        if (this.currentTest?.state === "failed") {
            for (const { lines } of controllers) {
                console.log(lines.map((line) => JSON.stringify(line)).join("\n"));
            }
        }
    });
    after(() => Promise.all(controllers.map((one) => one.end("SIGKILL"))));

    it("leads alone, leaves a run that works in peace, removes what a killed one left, and is replaced when it dies", async () => {
        const { dataPlane, kubeconfig } = arena().sandbox;
        const played = stack.played();
        await dataLoaded(played);
        for (let i = 0; i < 2; i += 1) {
            controllers.push(new RunningController(kubeconfig, "--namespace", "watched", "--act", "sweep"));
        }
        const [one, other] = controllers;
        const leader = await until(
            "a leader",
            async () => ((await one.leads()) ? one : (await other.leads()) ? other : undefined),
            60_000,
        );
        const follower = leader === one ? other : one;
        assert.equal(await follower.leads(), false);
        assert.equal(await follower.page("/readyz"), "ok\n");
        await until("the condition", () => leader.said(/^Ready: every pod, member and store is as wanted$/), 60_000);
        assert.match(
            await leader.page("/metrics"),
            /^pulumi_tidb_cluster_condition\{namespace="watched",cluster="demo",condition="Ready",status="True"\} 1$/m,
        );

        const { stores } = dataPlane.faults("watched", "demo");
        stores["demo-tikv-2"] = { evictedLeadersPerSecond: 0 };
        const before = played.events.length;
        const run = stack.startUp(upgraded);
        await until("the first eviction", () => eventsOf(played, ["eviction-begun"], before)[0], 300_000);
        await until("a look during it", () => leader.said(/^operation: .*, by /), 60_000);
        assert.deepEqual(eventsOf(played, ["eviction-ended"], before), [], "a run that works is left in peace");

        run.kill();
        assert.ok(!(await run.done).ok, "the run was killed");
        await until("the end of the eviction", () => eventsOf(played, ["eviction-ended"], before)[0], 60_000);
        await until("the line in its log", () => leader.said(/^removed what a killed run left behind: store /), 30_000);
        await assertNothingLeft(arena(), stack);
        assert.deepEqual(
            controllers.flatMap(({ lines }) => lines.filter(({ level }) => level === "error")),
            [],
        );
        assert.equal(
            follower.lines.some(({ cluster, kind }) => cluster !== undefined && kind !== undefined),
            false,
        );

        await leader.end("SIGKILL");
        await until("another leader", async () => (await follower.leads()) || undefined, 60_000);
        await until("its first look", () => follower.said(/^not Ready \(StatefulSetNotUpToDate\)/), 60_000);

        stores["demo-tikv-2"] = {};
        assertOk(await stack.up(upgraded));
        await until("the end of the update", () => follower.said(/^condition: Ready: /), 60_000);
        assert.equal(await follower.end("SIGTERM"), 0);
        assert.ok(follower.said(/^asked to stop$/));
    });
});
