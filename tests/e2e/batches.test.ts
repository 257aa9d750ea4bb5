import * as assert from "node:assert/strict";
import type { DataPlaneEvent } from "pulumi-tidb-sandbox";
import { type Arena, describeOnEngine } from "../support/e2e/arena";
import {
    assertNothingLeft,
    assertOk,
    assertUnchanged,
    assertVersion,
    dataLoaded,
    eventsOf,
    messagesOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";

const namespace = "zoned";
const stores = 6;
const pods = 3 + stores + 1;
const change = (version: string): ClusterChange => ({
    version,
    tikv: { replicas: stores },
    tidb: { replicas: 1 },
    operations: { timeouts: { podReadySeconds: 60 }, rollout: { parallelism: "zone" } },
});

/** So long that a store is still not Up when the next one of its batch stops, on a busy machine too. */
const slowStores = { storeUpAfterReadyMilliseconds: 4_000 };

describeOnEngine("six TiKV stores in three zones, which restart by zone", define, undefined, slowStores);

function define(arena: () => Arena): void {
    let stack: ClusterStack;
    let zones: Record<string, string> = {};

    before(async () => {
        stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(change("v8.5.2")));
        const played = stack.played();
        await dataLoaded(played);
        // The sandbox's regions are on the first, third and fifth store, or on the second, fourth and sixth.
        const inOrder = played.stores().sort((one, other) => one.id - other.id);
        zones = Object.fromEntries(inOrder.map(({ pod }, index) => [pod, "aabbcc"[index]]));
        played.setZones(zones);
        await until("PD counts the isolation", async () =>
            planOf(await stack.preview(change("v8.5.3")), "demo-tikv-rollout").some((line) =>
                line.includes("in one batch"),
            )
                ? true
                : undefined,
        );
    });

    const stopsOf = (since: number) =>
        eventsOf(stack.played(), ["pod-stopped"], since).filter(({ component }) => component === "tikv");
    /** No store stopped with leaders, or while one of another zone was not up. */
    const assertByZone = (stops: readonly DataPlaneEvent[]) => {
        const podOf = new Map(
            stack
                .played()
                .stores()
                .map(({ id, pod }) => [id, pod]),
        );
        for (const { pod = "", leaders, otherStoresNotUp = [] } of stops) {
            assert.equal(leaders, 0, pod);
            const down = otherStoresNotUp.map((id) => zones[podOf.get(id) ?? ""]);
            assert.deepEqual(
                down.filter((zone) => zone !== zones[pod]),
                [],
                `${pod} with ${otherStoresNotUp.join()}`,
            );
        }
    };
    const startUntil = async (version: string, what: string, moment: (since: number) => boolean) => {
        await dataLoaded(stack.played());
        const since = stack.played().events.length;
        const run = stack.startUp(change(version));
        await until(what, () => moment(since) || undefined, 300_000);
        return { run, since };
    };
    const assertDone = async (version: string, since: number) => {
        await assertVersion(arena(), stack, version, pods);
        const stops = stopsOf(since);
        assert.equal(stops.length, stores, stops.map(({ pod }) => pod).join());
        assertByZone(stops);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(change(version)));
    };

    it("the preview says which restart together and what proves it; the update takes one zone after the other", async () => {
        const plan = planOf(assertOk(await stack.preview(change("v8.5.3"))), "demo-tikv-rollout");
        const restarts = plan.filter((line) => line.startsWith("restart "));
        assert.equal(restarts.length, stores);
        for (const line of restarts) {
            const [, pod = "", other = "", beside = ""] =
                /^restart (\S+) .*: in one batch with (\S+) \(proven by PD's pd_regions_label_level\).*; risk: restarts beside (\S+): no region may lose another voter meanwhile/.exec(
                    line,
                ) ?? [];
            assert.ok(pod in zones && other in zones, line);
            assert.deepEqual([zones[pod], beside], [zones[other], other], line);
        }
        const since = stack.played().events.length;
        assertOk(await stack.up(change("v8.5.3"), { skipPreview: false }));
        const zonesInTurn = stopsOf(since).map(({ pod = "" }) => zones[pod]);
        assert.deepEqual(zonesInTurn.filter((zone, index) => zone !== zonesInTurn[index - 1]).sort(), ["a", "b", "c"]);
        assert.ok(
            stopsOf(since).some(({ otherStoresNotUp = [] }) => otherStoresNotUp.length > 0),
            "side by side",
        );
        await assertDone("v8.5.3", since);
    });

    it("a run that is killed right after the first restart: the next one goes on with the same batch", async () => {
        const { run, since } = await startUntil("v8.5.4", "the first restart", (from) => stopsOf(from).length > 0);
        run.kill();
        assert.ok(!(await run.done).ok);
        const { batch } = await arena().kubernetes.records(namespace, "demo");
        const begun = Object.keys(batch?.stores ?? {});
        assert.equal(begun.length, 2);
        assert.ok(begun.includes(stopsOf(since)[0].pod ?? ""));
        assertOk(await stack.up(change("v8.5.4")));
        assert.deepEqual(
            stopsOf(since)
                .slice(0, 2)
                .map(({ pod }) => pod)
                .sort(),
            begun.sort(),
        );
        await assertDone("v8.5.4", since);
    });

    it("PD's leader is lost after the first restart: nothing restarts beside it until PD can know, then it goes on", async () => {
        const { run, since } = await startUntil("v8.5.5", "the first restart", (from) => stopsOf(from).length > 0);
        await arena().kubernetes.deletePod(namespace, stack.played().leader() ?? "");
        assertOk(await run.done);
        await assertDone("v8.5.5", since);
    });

    it("a store of another zone is lost while leaders leave: none restarts until it is back, and then it goes on", async () => {
        const played = stack.played();
        Object.keys(zones).forEach((pod) => (played.faults.stores[pod] = { evictedLeadersPerSecond: 3 }));
        const { run, since } = await startUntil(
            "v8.5.6",
            "the first eviction",
            (from) => eventsOf(played, ["eviction-begun"], from).length > 0,
        );
        const [{ pod: evicted = "" }] = eventsOf(played, ["eviction-begun"], since);
        const other = Object.keys(zones).find((pod) => zones[pod] !== zones[evicted]) ?? "";
        played.faults.stores[other] = { dead: true };
        await until("PD has missed it", () => played.storeOfPod(other)?.state !== "Up" || undefined);
        Object.keys(zones)
            .filter((pod) => pod !== other)
            .forEach((pod) => delete played.faults.stores[pod]);
        await new Promise((resolve) => setTimeout(resolve, 5_000));
        assert.deepEqual(
            stopsOf(since).map(({ pod }) => pod),
            [],
        );
        delete played.faults.stores[other];
        assertOk(await run.done);
        await assertDone("v8.5.6", since);
    });

    it("regions with two voters in one zone: the preview says so, and stores restart one by one", async () => {
        const inOrder = Object.keys(zones);
        zones = Object.fromEntries(inOrder.map((pod, index) => [pod, "ababcc"[index]]));
        stack.played().setZones(zones);
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        const preview = assertOk(await stack.preview(change("v8.5.7")));
        assert.match(
            messagesOf(preview, "demo-tikv-rollout").join("\n"),
            /operations\.rollout\.parallelism is "zone"; stores restart one by one where it is not proven/,
        );
        const since = stack.played().events.length;
        assertOk(await stack.up(change("v8.5.7")));
        const alone = Object.keys(zones).filter((pod) => zones[pod] !== "c");
        for (const stop of stopsOf(since).filter(({ pod = "" }) => alone.includes(pod))) {
            assert.deepEqual(stop.otherStoresNotUp, [], stop.pod);
        }
        assert.equal(stoppedPods(stack.played(), since).filter((pod) => pod.includes("tikv")).length, stores);
        await assertNothingLeft(arena(), stack);
    });
}
