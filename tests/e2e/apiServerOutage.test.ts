import { setTimeout as sleep } from "node:timers/promises";
import * as assert from "node:assert/strict";
import type { ControlPlane, DataPlaneEvent } from "pulumi-tidb-sandbox";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    assertUnchanged,
    assertVersion,
    dataLoaded,
    eventsOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { clusterStack } from "../support/e2e/stack";

type RunningProgram = ControlPlane["programs"][number];

/** One TiDB: this is about the stores. */
const small = { tidb: { replicas: 1 } };

/** The lock expires if it is not renewed for 15 s. */
const longerThanTheLock = 20_000;

describeOnEngine("an API server that is killed while an upgrade runs", (arena) => {
    const program = (name: string): RunningProgram => {
        const found = arena().sandbox.controlPlane.programs.find((one) => one.name === name);
        assert.ok(found);
        return found;
    };

    it("is waited for, each time: each pod restarts once, and each store without leaders", async () => {
        const stack = await clusterStack(arena(), "api-server-killed");
        assertOk(await stack.up({ ...small, version: "v8.5.2" }));
        const played = stack.played();
        await dataLoaded(played);
        const before = played.events.length;
        const seen = (kind: DataPlaneEvent["kind"], count: number) => (): true | undefined =>
            eventsOf(played, [kind], before).length >= count || undefined;
        const server = program("kube-apiserver");
        const restart = async (downMilliseconds: number) => {
            await server.restart(downMilliseconds);
            const answers = () =>
                arena()
                    .kubernetes.pods(stack.namespace)
                    .then(
                        () => true,
                        () => undefined,
                    );
            await until("the API server answers", answers, 60_000);
            // As on a machine that starts again: a scheduler that misses the end of a pod does not schedule the next one.
            await Promise.all(["kube-scheduler", "kube-controller-manager"].map((name) => program(name).restart(0)));
        };

        const run = stack.startUp({ ...small, version: "v8.5.3" });
        await until("the first store is under eviction", seen("eviction-begun", 1), 120_000);
        // The watches break, and the lock's next renewal fails.
        await restart(0);
        await until("the first store is Up again", seen("store-up", 1), 120_000);
        await restart(3_000);
        await until("the second store is under eviction", seen("eviction-begun", 2), 120_000);
        await restart(longerThanTheLock);
        await until("the third store's pod stops", seen("pod-stopped", 6), 120_000);
        // A server that is stopped accepts connections and never answers.
        process.kill(server.processId, "SIGSTOP");
        await sleep(8_000);
        process.kill(server.processId, "SIGCONT");

        const done = assertOk(await run.done);
        assert.equal(done.changes.replace + done.changes.delete, 0);
        await assertVersion(arena(), stack, "v8.5.3", 7);
        const stopped = stoppedPods(played, before);
        assert.deepEqual([stopped.length, new Set(stopped).size], [7, 7], stopped.join(", "));
        assertSafeStops(played, before);
        assert.equal(eventsOf(played, ["eviction-ended"], before).length, 3);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up({ ...small, version: "v8.5.3" }));
    });
});
