import * as assert from "node:assert/strict";
import type { SimulatedCluster } from "pulumi-tidb-sandbox";
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
import { clusterStack } from "../support/e2e/stack";

const small = { pd: { replicas: 1 }, tidb: { replicas: 1 } };

describeOnEngine("pausing and suspending", (arena) => {
    it("a paused cluster does not move, whatever is asked for; then all of it is done", async () => {
        const stack = await clusterStack(arena(), "paused");
        assertOk(await stack.up(small));
        const played = stack.played();
        await dataLoaded(played);
        const before = played.events.length;
        const change = { ...small, version: "v8.5.3", tikv: { replicas: 4, config: { "server.grpc-concurrency": 6 } } };
        const paused = { ...change, spec: { paused: true } };

        const changed: string[][] = [];
        for (const run of [await stack.preview(paused), await stack.up(paused), await stack.up(paused)]) {
            assertOk(run);
            assert.match(run.output, /spec\.paused is true: updates do not change this cluster/);
            assert.match(run.output, /withheld:\n(.*\n)* *- restart demo-tikv-2/);
            changed.push(run.steps.filter(({ op }) => op !== "same").map((step) => step.name));
        }
        assert.deepEqual(changed, [["demo-cluster"], ["demo-cluster"], []], "only the pause is noted, once");
        assert.deepEqual(eventsOf(played, ["pod-stopped", "store-joined", "eviction-begun"], before), []);
        assertFailed(
            await stack.preview({ ...paused, spec: { paused: true, tiproxy: { replicas: 1 } } }),
            /spec\.paused: found true, expected false until demo-tiproxy is deployed: /,
        );

        const planned = assertOk(await stack.preview(change));
        assert.match(
            planOf(planned, "demo-tikv-rollout").join("\n"),
            /server\.grpc-concurrency.*\n.*restart demo-tikv-2/s,
        );
        assertOk(await stack.up(change));
        assert.deepEqual(
            stoppedPods(played, before).filter((pod) => pod.startsWith("demo-tikv")),
            ["demo-tikv-2", "demo-tikv-1", "demo-tikv-0"],
        );
        assert.equal(played.stores().length, 4);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(change));
    });

    it("a paused cluster is not deployed", async () => {
        const stack = await clusterStack(arena(), "paused-first");
        const paused = { ...small, spec: { paused: true } };
        const refusal = /spec\.paused: found true, expected false until demo-pd is deployed: /;
        assertFailed(await stack.up(paused, { skipPreview: false }), refusal);
        assert.deepEqual(await arena().kubernetes.pods("paused-first"), []);
        assertFailed(await stack.up(paused), refusal);
        assert.deepEqual(memberPods(await arena().kubernetes.pods("paused-first")), []);
    });

    it("a suspended cluster keeps its volumes, Services and ConfigMaps, and comes back with its data; in both its end and that of a destroy stores stop while PD serves", async () => {
        const stack = await clusterStack(arena(), "suspended");
        // From this version on TiKV waits for its leaders to leave, and is killed if PD is gone by then.
        const graceful = { ...small, version: "v8.5.6" };
        assertOk(await stack.up(graceful));
        const played = stack.played();
        await dataLoaded(played);
        const stores = played.stores().map((store) => store.id);
        const claims = async () =>
            (await arena().kubernetes.claims("suspended")).map((claim) => claim.metadata?.uid).sort();
        const volumes = await claims();
        const before = played.events.length;
        const suspended = { ...graceful, spec: { suspendAction: { suspendStatefulSet: true } } };

        const preview = assertOk(await stack.preview(suspended));
        assert.match(
            planOf(preview, "demo-tikv-suspend")[0],
            /^suspend demo-tikv \(suspendAction\): delete its StatefulSet/,
        );
        assert.deepEqual(stoppedPods(played, before), []);
        // PD's lock went with PD: nobody waits for its release.
        assert.doesNotMatch(assertOk(await stack.up(suspended)).output, /could not release the lock/);
        assert.deepEqual(await arena().kubernetes.pods("suspended").then(memberPods), []);
        const order = [...new Set(stoppedPods(played, before).map((pod) => pod.replace(/-\d+$/, "")))];
        assert.deepEqual(order, ["demo-tidb", "demo-tikv", "demo-pd"]);
        assert.deepEqual(killed(played, before), []);
        assert.deepEqual(await claims(), volumes);
        assertUnchanged(await stack.up(suspended));

        assertFailed(
            await stack.preview({ ...graceful, tikv: { replicas: 2 } }),
            /spec\.tikv\.replicas: found 2, expected 3: there is no StatefulSet, and tikv-demo-tikv-2/,
        );
        assertOk(await stack.up(graceful));
        assert.deepEqual(
            played.stores().map((store) => [store.id, store.state]),
            stores.map((id) => [id, "Up"]),
        );
        assert.deepEqual(await claims(), volumes);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(graceful));

        const end = played.events.length;
        const destroyed = assertOk(await stack.destroy(graceful));
        const last = [...new Set(stoppedPods(played, end).map((pod) => pod.replace(/-\d+$/, "")))];
        assert.deepEqual(last, ["demo-tidb", "demo-tikv", "demo-pd"]);
        assert.deepEqual(killed(played, end), []);
        assert.doesNotMatch(destroyed.output, /was killed|after the deletion/);
    });

    it("one member is suspended while the others are upgraded, and a run that is killed meanwhile is finished", async () => {
        const stack = await clusterStack(arena(), "suspended-one");
        assertOk(await stack.up({ tidb: { replicas: 1 } }));
        const played = stack.played();
        await dataLoaded(played);
        const before = played.events.length;
        const change = {
            version: "v8.5.3",
            tidb: { replicas: 1, suspendAction: { suspendStatefulSet: true } },
        };
        const run = stack.startUp(change);
        await until("TiDB's pod stops", () => stoppedPods(played, before).includes("demo-tidb-0") || undefined);
        run.kill();
        await run.done;
        assertOk(await stack.up(change));
        await assertVersion(arena(), stack, "v8.5.3", 6);
        assert.equal(stoppedPods(played, before)[0], "demo-tidb-0");
        assertSafeStops(played, before);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(change));
    });
});

/** The pods whose processes did not end by themselves. */
function killed(played: SimulatedCluster, since: number): (string | undefined)[] {
    return eventsOf(played, ["pod-stopped"], since).flatMap((event) => (event.killed ? [event.pod] : []));
}

/** Names of pods, without discovery's. */
function memberPods(pods: { metadata?: { name?: string } }[]): string[] {
    return pods.map((pod) => pod.metadata?.name ?? "").filter((name) => !name.includes("discovery"));
}
