import * as assert from "node:assert/strict";
import * as path from "node:path";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertUnchanged,
    dataLoaded,
    eventsOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { openStack } from "../support/e2e/stack";

const program = path.resolve(__dirname, "../../examples/tiflash");

describeOnEngine("TiFlash, the example", (arena) => {
    it("is deployed beside TiKV, restarted store by store for another configuration, and scaled in after its regions moved", async () => {
        const namespace = "tiflash";
        const stack = openStack(arena(), namespace, program, "htap");
        const up = (change: Record<string, string> = {}) =>
            stack.run("up", { skipPreview: true, config: { namespace, ...change } });

        assertOk(await up());
        const played = stack.played();
        const stores = () => played.stores().filter(({ engine }) => engine === "tiflash");
        assert.deepEqual(
            stores()
                .map(({ pod, state }) => [pod, state])
                .sort(),
            [
                ["htap-tiflash-0", "Up"],
                ["htap-tiflash-1", "Up"],
            ],
        );
        const claims = async (ordinal: number) =>
            (await arena().kubernetes.claims(namespace)).filter(({ metadata }) =>
                metadata?.name?.endsWith(`-htap-tiflash-${ordinal}`),
            );
        assert.deepEqual(
            (await claims(1)).map(({ metadata }) => metadata?.name),
            ["data0-htap-tiflash-1", "data1-htap-tiflash-1"],
        );
        await dataLoaded(played);

        const beforeRestart = played.events.length;
        const restart = { tiflashLogLevel: "debug" };
        assertOk(await up(restart));
        assert.deepEqual(stoppedPods(played, beforeRestart), ["htap-tiflash-1", "htap-tiflash-0"]);
        for (const stop of eventsOf(played, ["pod-stopped"], beforeRestart)) {
            assert.deepEqual(stop.otherStoresNotUp, [], `${stop.pod} stopped while another TiFlash store was not Up`);
        }
        assert.deepEqual(
            eventsOf(played, ["pod-stopped", "store-up"], beforeRestart).map(({ kind }) => kind),
            ["pod-stopped", "store-up", "pod-stopped", "store-up"],
        );
        assert.equal(eventsOf(played, ["eviction-begun"], beforeRestart).length, 0, "there is nothing to evict");

        await until("learners are spread", () => stores().every(({ regions }) => regions > 0) || undefined);
        const refusal = [/spec\.tiflash\.replicas/, /0 Up TiFlash stores would be left/, /1 TiFlash replicas/];
        assertFailed(
            await stack.run("preview", { config: { namespace, ...restart, tiflashReplicas: "0" } }),
            ...refusal,
        );

        const beforeRemoval = played.events.length;
        const scaled = { ...restart, tiflashReplicas: "1" };
        const [line, ...others] = planOf(assertOk(await up(scaled)), "htap-tiflash-scale");
        assert.match(
            line,
            /^remove htap-tiflash-1 .*remove store \d+, move its \d+ regions, mark its volumes as released/,
        );
        assert.deepEqual(others, []);
        assert.deepEqual(
            eventsOf(played, ["store-deleted", "store-tombstone", "pod-stopped"], beforeRemoval).map(
                ({ kind, pod }) => `${kind} ${pod}`,
            ),
            ["store-deleted htap-tiflash-1", "store-tombstone htap-tiflash-1", "pod-stopped htap-tiflash-1"],
        );
        assert.ok(
            (await claims(1)).every(({ metadata }) => metadata?.annotations?.["tidb.pingcap.com/pvc-defer-deleting"]),
            "both volumes are marked as released",
        );
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await up(scaled));
    });
});
