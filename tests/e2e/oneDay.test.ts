import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    assertUnchanged,
    assertVersion,
    dataLoaded,
    eventsOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";

/** The one end-to-end file of `npm test`: each of these is played in more ways by the others, which `npm run test:all` runs. */
describeOnEngine("a day with one cluster", (arena) => {
    let stack: ClusterStack;
    let cluster: ClusterChange = { version: "v8.5.2", tikv: { replicas: 4 } };

    it("deploys it, and has nothing to do the second time", async () => {
        stack = await clusterStack(arena(), "day");
        assertOk(await stack.preview(cluster));
        assert.equal((await arena().kubernetes.pods("day")).length, 0);
        assertOk(await stack.up(cluster));
        await assertVersion(arena(), stack, "v8.5.2", 9);
        assertUnchanged(await stack.up(cluster));
        await dataLoaded(stack.played());
    });

    it("upgrades it by two runs, of which the first is killed during an eviction: each pod is restarted once, when it is safe", async () => {
        const played = stack.played();
        const before = played.events.length;
        cluster = { ...cluster, version: "v8.5.3" };
        const run = stack.startUp(cluster);
        await until("an eviction", () => eventsOf(played, ["eviction-begun"], before).length > 0 || undefined, 120_000);
        run.kill();
        assert.ok(!(await run.done).ok);
        assertOk(await stack.up(cluster));
        await assertVersion(arena(), stack, "v8.5.3", 9);
        const stopped = stoppedPods(played, before);
        assert.deepEqual([stopped.length, new Set(stopped).size], [9, 9], stopped.join(", "));
        assertSafeStops(played, before);
        await assertNothingLeft(arena(), stack);
    });

    it("refuses to take away a store that PD needs for its copies, and changes nothing", async () => {
        const played = stack.played();
        const before = played.events.length;
        const tooFew = { ...cluster, tikv: { replicas: 2 } };
        assertFailed(await stack.preview(tooFew));
        assertFailed(await stack.up(tooFew));
        assert.deepEqual(played.events.slice(before), []);
        assert.equal(played.stores().filter(({ state }) => state === "Up").length, 4);
    });

    it("takes the fourth store out of PD, as the preview has shown, before its pod stops", async () => {
        const played = stack.played();
        const before = played.events.length;
        cluster = { ...cluster, tikv: { replicas: 3 } };
        assert.equal(planOf(assertOk(await stack.preview(cluster)), "demo-tikv-scale").length, 1);
        assertOk(await stack.up(cluster));
        const kinds = eventsOf(played, ["store-deleted", "store-tombstone", "pod-stopped"], before);
        assert.deepEqual(
            kinds.map(({ kind }) => kind),
            ["store-deleted", "store-tombstone", "pod-stopped"],
        );
        await assertNothingLeft(arena(), stack);
    });
});
