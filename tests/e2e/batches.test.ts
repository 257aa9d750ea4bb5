import * as assert from "node:assert/strict";
import type { DataPlaneEvent } from "pulumi-tidb-sandbox";
import type { PulumiRun } from "pulumi-tidb-sandbox/pulumi";
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
import { assertCarriedOut, assertSamePlan, type FilePlan, planFile } from "../support/e2e/planFile";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { timelineOfStack } from "../support/e2e/statusCommand";
import { repeats } from "../support/repeats";

const namespace = "zoned";
const stores = 6;
const members = 5;
const servers = 3;
const columnStores = 3;
const pods = members + stores + servers;
const tiflashOf = (version: string) => ({
    version,
    replicas: columnStores,
    storageClaims: [{ resources: { requests: { storage: "1Gi" } } }],
    config: {},
});
/** @param tiflash the version of TiFlash, which only the last test changes: each of its restarts takes as long as its stores do. */
const change = (version: string, pd = members, tidb = servers, tiflash = "v8.5.2"): ClusterChange => ({
    version,
    pd: { replicas: pd, config: { replication: { "location-labels": ["zone"] } } },
    tikv: { replicas: stores },
    tidb: { replicas: tidb },
    spec: { tiflash: tiflashOf(tiflash) },
    operations: { timeouts: { podReadySeconds: 60 }, rollout: { parallelism: "zone", maxUnavailable: 2 } },
});

const ofMembers = /:(Scale|Rollout)Gate$/;

/** So long that a store is still not Up when the next one of its batch stops, on a busy machine too. */
const slowStores = { storeUpAfterReadyMilliseconds: 4_000 };

describeOnEngine(
    "six TiKV stores in three zones, which restart by zone, and pods of PD, TiFlash and TiDB side by side",
    define,
    { timings: slowStores },
);

function define(arena: () => Arena): void {
    let stack: ClusterStack;
    let zones: Record<string, string> = {};

    before(async () => {
        stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(change("v8.5.2", 3, 2)));
        const played = stack.played();
        await dataLoaded(played);
        // The update has given each store the zone of its node, and PD isolates the regions by it.
        zones = Object.fromEntries(tikvStores().map(({ pod, labels }) => [pod, labels.zone]));
        assert.deepEqual(
            Object.values(zones).sort(),
            ["a", "a", "b", "b", "c", "c"].map((one) => `zone-${one}`),
        );
        // Every region has a replica on each TiFlash store, so two of them may be down.
        played.setTiflashReplicas(columnStores);
        const regions = tikvStores().reduce((sum, { leaders }) => sum + leaders, 0);
        await until(
            "the tables' replicas are complete",
            () => flashes().every((one) => one.regions === regions) || undefined,
        );
        await until("PD counts the isolation", async () =>
            planOf(await stack.preview(change("v8.5.3")), "demo-tikv-rollout").some((line) =>
                line.includes("in one batch"),
            )
                ? true
                : undefined,
        );
    });

    const storesOf = (wanted: "tikv" | "tiflash") =>
        stack
            .played()
            .stores()
            .filter(({ engine }) => engine === wanted);
    const tikvStores = () => storesOf("tikv").sort((one, other) => one.id - other.id);
    const flashes = () => storesOf("tiflash");
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
    const othersOf = (component: "pd" | "tidb" | "tiflash", since: number) =>
        eventsOf(stack.played(), ["pod-stopped"], since).filter((stop) => stop.component === component);
    /** Looks all the time which TiDB pods serve. @returns how many did not at the same time, and how many did at least. */
    const watchServers = () => {
        const seen = { down: 0, serve: Infinity };
        let isOver = false;
        const look = async () => {
            while (!isOver) {
                const all = (await arena().kubernetes.pods(namespace)).filter(({ metadata }) =>
                    metadata?.name?.startsWith("demo-tidb-"),
                );
                const ready = all.filter(
                    ({ metadata, status }) =>
                        metadata?.deletionTimestamp === undefined &&
                        status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
                ).length;
                seen.serve = Math.min(seen.serve, ready);
                seen.down = Math.max(seen.down, servers - ready);
                await new Promise((resolve) => setTimeout(resolve, 100));
            }
        };
        const looking = look();
        return async () => {
            isOver = true;
            await looking;
            return seen;
        };
    };
    const recordedBatch = async () => (await arena().kubernetes.records(namespace, "demo")).batch;
    /** Asserts that the update takes the actions of the plan and no others, by its journal. */
    const assertUpdate = async (plan: FilePlan, update: () => Promise<PulumiRun>) => {
        const journal = async () => (await timelineOfStack(stack, arena().sandbox.kubeconfig)).operations;
        const { length } = await journal();
        assertOk(await update());
        assertCarriedOut(plan, (await journal()).slice(length));
    };
    const assertDone = async (version: string, since: number) => {
        await assertVersion(arena(), stack, version, pods, /-tiflash-/);
        const stops = stopsOf(since);
        assert.equal(stops.length, stores, stops.map(({ pod }) => pod).join());
        assertByZone(stops);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(change(version)));
    };

    it("the preview says which restart together and what proves it; the update takes one zone after the other", async () => {
        const preview = assertOk(await stack.preview(change("v8.5.3")));
        const plan = planOf(preview, "demo-tikv-rollout");
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
        const leader = stack.played().leader();
        const followers = planOf(preview, "demo-pd-rollout").filter((line) => line.startsWith("restart "));
        const [last = ""] = followers.splice(-1);
        assert.equal(followers.length, 2);
        for (const line of followers) {
            assert.match(
                line,
                /: in one batch with demo-pd-\d \(proven by PD's list of its members\).*; risk: restarts beside demo-pd-\d: PD may lose no other member meanwhile/,
            );
        }
        assert.match(last, new RegExp(`^restart ${leader} .*: transfer leadership to demo-pd-4, delete pod`));
        const both = planOf(preview, "demo-tidb-rollout").filter((line) => line.startsWith("restart "));
        assert.equal(both.length, 2);
        for (const line of both) {
            assert.match(
                line,
                /: in one batch with demo-tidb-\d \(the others are Ready\).*; risk: restarts beside demo-tidb-\d: 1 pod serves meanwhile/,
            );
        }
        const filePlan = await planFile(arena(), stack, change("v8.5.3"));
        assertSamePlan(filePlan, preview, stack, ofMembers);
        const since = stack.played().events.length;
        await assertUpdate(filePlan, () => stack.up(change("v8.5.3"), { skipPreview: false }));
        const stopped = othersOf("pd", since);
        assert.deepEqual([stopped.length, stopped.at(-1)?.pod], [3, leader], "PD's leader restarts last");
        assert.ok(
            stopped.every(({ quorumLeft, ledPd }) => quorumLeft && !ledPd),
            "the others of PD are a quorum",
        );
        assert.equal(eventsOf(stack.played(), ["leader-transferred"], since).length, 1);
        assert.equal(othersOf("tidb", since).length, 2);
        const zonesInTurn = stopsOf(since).map(({ pod = "" }) => zones[pod]);
        assert.deepEqual(zonesInTurn.filter((zone, index) => zone !== zonesInTurn[index - 1]).sort(), [
            "zone-a",
            "zone-b",
            "zone-c",
        ]);
        assert.ok(
            stopsOf(since).some(({ otherStoresNotUp = [] }) => otherStoresNotUp.length > 0),
            "side by side",
        );
        await assertDone("v8.5.3", since);
    });

    it("a server of TiDB dies before an upgrade of PD in batches: the update takes the actions that the preview shows, and no others", async () => {
        const dead = "demo-tidb-0";
        const before = change("v8.5.3");
        const upgrade: ClusterChange = {
            ...before,
            pd: { ...before.pd, version: "v8.5.4" },
            operations: { ...before.operations, failover: { periodSeconds: 3 } },
        };
        const { kubernetes, sandbox } = arena();
        const { tidb } = sandbox.dataPlane.faults(namespace, "demo");
        tidb[dead] = { unhealthy: true };
        await kubernetes.setNodeOf(namespace, dead, "Unknown");
        const preview = await until("the preview replaces it", async () => {
            const found = assertOk(await stack.preview(upgrade));
            return planOf(found, "demo-tidb-scale").length > 0 ? found : undefined;
        });
        const restarts = planOf(preview, "demo-pd-rollout").filter((line) => line.startsWith("restart "));
        assert.equal(restarts.length, members);
        assert.ok(restarts.some((line) => line.includes("in one batch")));
        const plan = await planFile(arena(), stack, upgrade);
        assertSamePlan(plan, preview, stack, ofMembers);
        await assertUpdate(plan, () => stack.up(upgrade));

        delete tidb[dead];
        await kubernetes.setNodeOf(namespace, dead, "True");
        assertOk(await stack.up(upgrade));
        assert.equal((await kubernetes.statefulSet(namespace, "demo-tidb")).replicas, servers);
        await assertNothingLeft(arena(), stack);
    });

    it("a run that is killed right after the first restart: the next one goes on with the same batch, of TiKV and of TiDB", async () => {
        const { run, since } = await startUntil("v8.5.5", "the first restart", (from) => stopsOf(from).length > 0);
        run.kill();
        assert.ok(!(await run.done).ok);
        const begun = Object.keys((await recordedBatch())?.stores ?? {});
        assert.equal(begun.length, 2);
        assert.ok(begun.includes(stopsOf(since)[0].pod ?? ""));

        const serving = watchServers();
        const next = stack.startUp(change("v8.5.5"));
        const batch = await until(
            "TiDB's batch",
            async () => {
                const recorded = await recordedBatch();
                return recorded?.component === "tidb" ? recorded : undefined;
            },
            300_000,
        );
        next.kill();
        assert.ok(!(await next.done).ok);
        assertOk(await stack.up(change("v8.5.5")));
        const { down, serve } = await serving();
        assert.ok(down <= 2 && serve >= 1, `${down} of TiDB were down at once, and ${serve} served`);
        const [alone, ...together] = othersOf("tidb", since).map(({ pod = "" }) => pod);
        assert.deepEqual(together.sort(), Object.keys(batch.stores).sort());
        assert.ok(!together.includes(alone), alone);
        assert.deepEqual(
            stopsOf(since)
                .slice(0, 2)
                .map(({ pod }) => pod)
                .sort(),
            begun.sort(),
        );
        await assertDone("v8.5.5", since);
    });

    it("PD's leader is lost after the first restart: nothing restarts beside it until PD can know, then it goes on", async () => {
        const { run, since } = await startUntil("v8.5.6", "the first restart", (from) => stopsOf(from).length > 0);
        await arena().kubernetes.deletePod(namespace, stack.played().leader() ?? "");
        assertOk(await run.done);
        await assertDone("v8.5.6", since);
    });

    it("a store of another zone is lost while leaders leave: none restarts until it is back, and then it goes on", async () => {
        const played = stack.played();
        Object.keys(zones).forEach((pod) => (played.faults.stores[pod] = { evictedLeadersPerSecond: 3 }));
        const { run, since } = await startUntil(
            "v8.5.7",
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
        await assertDone("v8.5.7", since);
    });

    it("regions with two voters in one zone: the preview says so, and stores restart one by one", async () => {
        // Otherwise PD moves the regions until they are isolated.
        const [pd] = arena().sandbox.dataPlane.pdUrls(namespace, "demo");
        const body = JSON.stringify({ "enable-location-replacement": "false" });
        assert.ok((await fetch(`${pd}/pd/api/v1/config`, { method: "POST", body })).ok);
        const list = await fetch(`${pd}/pd/api/v1/regions/store/${tikvStores()[0].id}`);
        const { regions } = (await list.json()) as { regions: { peers: { store_id: number }[] }[] };
        const shared = regions[0].peers.slice(0, 2).map(({ store_id: id }) => id);
        const [first, ...others] = tikvStores().filter(({ id }) => !shared.includes(id));
        zones = Object.fromEntries(
            tikvStores().map(({ id, pod }) => [
                pod,
                shared.includes(id) ? "zone-a" : [first.id, others[0].id].includes(id) ? "zone-b" : "zone-c",
            ]),
        );
        stack.played().setZones(zones);
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        const preview = assertOk(await stack.preview(change("v8.5.8")));
        repeats(messagesOf(preview, "demo-tikv-rollout"), 'operations.rollout.parallelism is "zone"');
        const since = stack.played().events.length;
        assertOk(await stack.up(change("v8.5.8")));
        for (const { pod, otherStoresNotUp = [] } of stopsOf(since).filter(({ pod = "" }) => zones[pod] === "zone-a")) {
            assert.ok(!otherStoresNotUp.some((id) => shared.includes(id)), pod);
        }
        assert.equal(stoppedPods(stack.played(), since).filter((pod) => pod.includes("tikv")).length, stores);
        await assertNothingLeft(arena(), stack);
    });

    it("TiFlash: one store restarts alone, then two beside each other, of whose regions the first one has a replica", async () => {
        const next = change("v8.5.8", members, servers, "v8.5.8");
        const restartsOf = (run: PulumiRun) =>
            planOf(run, "demo-tiflash-rollout").filter((line) => line.startsWith("restart "));
        // PD restarted with the last upgrade. Its new leader must have led for long enough.
        const [alone, ...together] = await until(
            "PD's list of regions proves it",
            async () => {
                const restarts = restartsOf(assertOk(await stack.preview(next)));
                return restarts.some((line) => line.includes("in one batch")) ? restarts : undefined;
            },
            120_000,
        );
        assert.match(alone, /^restart demo-tiflash-2 /);
        assert.ok(!alone.includes("in one batch"), alone);
        assert.equal(together.length, columnStores - 1);
        for (const line of together) {
            assert.match(
                line,
                /: in one batch with demo-tiflash-\d \(proven by PD's list of their regions.*; risk: restarts beside demo-tiflash-\d: each region keeps at least 1 replica on TiFlash meanwhile/,
            );
        }
        const since = stack.played().events.length;
        assertOk(await stack.up(next));
        const stops = othersOf("tiflash", since);
        assert.equal(stops[0].pod, "demo-tiflash-2");
        assert.deepEqual(
            stops.map(({ otherStoresNotUp = [] }) => otherStoresNotUp.length),
            [0, 0, 1],
        );
        await assertVersion(arena(), stack, "v8.5.8", pods + columnStores);
        await assertNothingLeft(arena(), stack);
    });
}
