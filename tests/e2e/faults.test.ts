import * as assert from "node:assert/strict";
import type { StartedRun } from "pulumi-tidb-sandbox/pulumi";
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
    messagesOf,
    stoppedPods,
    until,
    whileRunning,
} from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { timelineOfStack } from "../support/e2e/statusCommand";
import { repeats } from "../support/repeats";

/** One PD and one TiDB where a test is about TiKV. */
const small = { pd: { replicas: 1 }, tidb: { replicas: 1 } };

/** A fault that holds an update. */
interface Held {
    begins(): unknown;
    ends?(): unknown;
    readonly change: ClusterChange;
    /** The condition and the pod. */
    readonly at: readonly [string, string];
    readonly names: readonly string[];
}

describeOnEngine("faults", (arena) => {
    async function deploy(namespace: string, change: ClusterChange = {}): Promise<ClusterStack> {
        const stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(change));
        await dataLoaded(stack.played());
        return stack;
    }
    const faults = (namespace: string) => arena().sandbox.dataPlane.faults(namespace, "demo");

    it("PD that nobody can reach is a warning where nothing changed; with an upgrade it is deferred, then an error in time", async () => {
        // One PD: each member that is silent costs a time-out at every look.
        const change = { ...small, operations: { timeouts: { podReadySeconds: 10 } } };
        const stack = await deploy("pd-gone", change);
        const played = stack.played();
        faults("pd-gone").members["*"] = { answers: "refused" };

        const idle = await stack.up(change, { skipPreview: false });
        assertUnchanged(idle);
        const warning = /PD.*; the plan below is NOT based on the live cluster \(this gate's inputs are unchanged\)/s;
        assert.ok(
            idle.diagnostics.some(({ severity, message }) => severity === "warning" && warning.test(message)),
            idle.diagnostics.map(({ severity, message }) => `${severity}: ${message}`).join("\n"),
        );

        const upgrade = { ...change, version: "v8.5.3" };
        const preview = assertOk(await stack.preview(upgrade));
        const rollout = preview.steps.find((step) => step.name === "demo-tikv-rollout");
        assert.match(String(rollout?.diff.deferred?.after), /^deferred: .*PD/s);
        const before = played.events.length;
        const failed = await stack.up(upgrade);
        assertFailed(failed, /pd-answers: demo-pd: .*for \d+ s/, /Next: check the PD pods; the cluster is not changed/);
        assert.deepEqual(stoppedPods(played, before), []);

        delete faults("pd-gone").members["*"];
        assertOk(await stack.up(upgrade));
        await assertVersion(arena(), stack, "v8.5.3", 5);
        await assertNothingLeft(arena(), stack);
    });

    describe("one cluster, each roll-out from where the one before has ended", () => {
        let stack: ClusterStack;
        let run: StartedRun | undefined;
        const cluster = { tidb: small.tidb };
        before(async () => {
            stack = await deploy("shared", cluster);
        });
        beforeEach(() => dataLoaded(stack.played()));
        // A test that failed leaves neither its run nor its faults to the next one.
        afterEach(async () => {
            run?.kill();
            await run?.done;
            endFaults();
        });
        const endFaults = () =>
            Object.assign(faults("shared"), { members: {}, stores: {}, extraStores: [], evictionRefused: false });

        it("leaders that do not leave are waited for without one; a run that is asked to stop leaves no eviction", async () => {
            const played = stack.played();
            const before = played.events.length;
            faults("shared").stores["demo-tikv-2"] = { evictedLeadersPerSecond: 0 };
            run = stack.startUp({ ...cluster, tikv: { version: "v8.5.3" } });
            await until("the first store is evicted", () => eventsOf(played, ["eviction-begun"], before)[0]);
            await arena().kubernetes.requestStop("shared", "demo", "ana@laptop");
            assertFailed(
                await run.done,
                /roll out demo-tikv: ana@laptop asked/,
                /run `pulumi up` to continue from here/,
            );
            delete faults("shared").stores["demo-tikv-2"];
            assert.deepEqual(stoppedPods(played, before), []);
            await assertNothingLeft(arena(), stack);
        });

        it("an eviction that PD refuses is an error that names store and call, and leaves nothing behind", async () => {
            const played = stack.played();
            const before = played.events.length;
            faults("shared").evictionRefused = true;
            const change = { ...cluster, tikv: { version: "v8.5.3" } };
            assertFailed(
                await stack.up(change),
                /leaders-evicted: demo-tikv-2: could not evict \d+ leaders from store \d+/,
            );
            assert.deepEqual(stoppedPods(played, before), []);
            assert.deepEqual(
                played.stores().filter((store) => store.evicted),
                [],
            );
            faults("shared").evictionRefused = false;
            assertOk(await stack.up(change));
            assertSafeStops(played, before);
            await assertNothingLeft(arena(), stack);
        });

        it("leaders that do not leave are given up after the user's `evictLeaderTimeout`", async () => {
            const tikv = { evictLeaderTimeout: "5s" };
            const played = stack.played();
            const before = played.events.length;
            faults("shared").stores["demo-tikv-2"] = { evictedLeadersPerSecond: 0 };
            assertOk(await stack.up({ ...cluster, tikv: { ...tikv, version: "v8.5.4" } }));
            delete faults("shared").stores["demo-tikv-2"];
            const begun = eventsOf(played, ["eviction-begun"], before);
            const stops = eventsOf(played, ["pod-stopped"], before);
            assert.deepEqual(
                stops.map((stop) => [stop.pod, (stop.leaders ?? 0) > 0]),
                [
                    ["demo-tikv-2", true],
                    ["demo-tikv-1", false],
                    ["demo-tikv-0", false],
                ],
            );
            assert.ok(stops[0].at - begun[0].at >= 5_000, "not before the time is over");
            await assertNothingLeft(arena(), stack);
        });

        it("PD that answers 500 for a while in the middle of a roll-out holds it up, and no more", async () => {
            const played = stack.played();
            const before = played.events.length;
            run = stack.startUp({ ...cluster, tikv: { version: "v8.5.5" } });
            await until("the first store is evicted", () => eventsOf(played, ["eviction-begun"], before)[0]);
            faults("shared").members["*"] = { answers: "error" };
            await new Promise((resolve) => setTimeout(resolve, 3_000));
            const stopped = stoppedPods(played, before).length;
            delete faults("shared").members["*"];
            assertOk(await run.done);
            assert.ok(stopped <= 1, "nothing is restarted while PD cannot be asked");
            assert.equal(stoppedPods(played, before).length, 3);
            assertSafeStops(played, before);
            await assertNothingLeft(arena(), stack);
        });

        it("what a preview calls held, the update waits at: the same condition of the same pod, and no pod restarts", async () => {
            const played = stack.played();
            const { kubeconfig } = arena().sandbox;
            const store = (pod: string) => played.storeOfPod(pod)?.id ?? 0;
            const [first, other] = played
                .members()
                .flatMap((member) => (member.leader ? [] : [member.name]))
                .sort()
                .reverse();
            const [pd] = arena().sandbox.dataPlane.pdUrls("shared", "demo");
            const scheduler = `${pd}/pd/api/v1/schedulers`;
            const foreign = { name: "evict-leader-scheduler", store_id: store("demo-tikv-1") };
            const late = { id: 99, address: "other-tikv-0.other-tikv-peer.other.svc:20160" };
            const inTikv = { tikv: { version: "v8.5.6" } };
            /** Each begins in a cluster that is well. `ends`: makes it so again. */
            const rows: Record<string, Held> = {
                "another store is Down": {
                    begins: () => (faults("shared").stores["demo-tikv-0"] = { state: "Down" }),
                    change: inTikv,
                    at: ["other-stores-up", "demo-tikv-2"],
                    names: [`store ${store("demo-tikv-0")} (demo-tikv-0)`],
                },
                "the heartbeat of another store is late": {
                    begins: () => (faults("shared").extraStores = [{ ...late, heartbeatAgeMilliseconds: 18_000 }]),
                    change: inTikv,
                    at: ["other-stores-up", "demo-tikv-2"],
                    names: ["store 99"],
                },
                "leaders of another store are evicted by hand": {
                    begins: () => fetch(scheduler, { method: "POST", body: JSON.stringify(foreign) }),
                    ends: () => fetch(`${scheduler}/evict-leader-scheduler-${foreign.store_id}`, { method: "DELETE" }),
                    change: inTikv,
                    at: ["no-foreign-eviction", "demo-tikv-2"],
                    names: [`store ${store("demo-tikv-1")} (demo-tikv-1)`],
                },
                "a PD member is unhealthy": {
                    begins: () => (faults("shared").members[other] = { unhealthy: true }),
                    change: { pd: { replicas: 3, version: "v8.5.6" } },
                    at: ["quorum-without-member", first],
                    names: [other],
                },
            };
            for (const [name, { begins, ends, change, at, names }] of Object.entries(rows)) {
                const before = played.events.length;
                await begins();
                const upgrade = { ...cluster, ...change };
                const [gate] = Object.keys(change);
                // Right after an election the preview does not foresee where the update ends.
                const [said, ...heldAt] = await until(
                    name,
                    async () => {
                        const messages = messagesOf(assertOk(await stack.preview(upgrade)), `demo-${gate}-rollout`);
                        return /\bheld at (\S+) of (\S+): .*/.exec(messages.join("\n")) ?? undefined;
                    },
                    120_000,
                );
                assert.deepEqual(heldAt, at, name);
                repeats(said, ...names);
                let waits = false;
                const isNamed = (line: string) => names.every((one) => line.includes(one));
                run = stack.startUp(upgrade, {
                    onLine: (line) => (waits ||= line.includes("waiting: ") && isNamed(line)),
                });
                await whileRunning(run, `${name}: it waits`, () => waits || undefined);
                // No two requests have the same text.
                await arena().kubernetes.requestStop("shared", "demo", name);
                repeats(assertFailed(await run.done), `${name} asked`);
                const { operations } = await timelineOfStack(stack, kubeconfig);
                const waited = operations
                    .at(-1)
                    ?.entries.flatMap((entry) => (entry.is === "wait" ? [entry] : []))
                    .at(-1);
                assert.deepEqual([waited?.step, waited?.target], at, name);
                assert.deepEqual(stoppedPods(played, before), [], name);
                await ends?.();
                endFaults();
                await assertNothingLeft(arena(), stack);
            }
        });

        it("an upgrade that can only fail at TiKV is refused by its preview: no member of PD restarts first", async () => {
            const played = stack.played();
            const before = played.events.length;
            const [pd] = arena().sandbox.dataPlane.pdUrls("shared", "demo");
            const set = async (replicas: number) => {
                const body = JSON.stringify({ "max-replicas": replicas });
                assert.ok((await fetch(`${pd}/pd/api/v1/config`, { method: "POST", body })).ok);
            };
            await set(1);
            const upgrade = { ...cluster, version: "v8.5.7" };
            for (const run of [await stack.preview(upgrade), await stack.up(upgrade, { skipPreview: false })]) {
                repeats(assertFailed(run), "leaders-can-move: demo-tikv-2: ");
            }
            assert.deepEqual(stoppedPods(played, before), []);
            await set(3);
        });
    });

    it("an image that never starts is an error that names pod and reason; the corrected one reaches that pod first", async () => {
        const change = { ...small, operations: { timeouts: { podReadySeconds: 15 } } };
        const stack = await deploy("image", change);
        const played = stack.played();
        const before = played.events.length;
        assertFailed(
            await stack.up({ ...change, tikv: { version: "does-not-exist" } }),
            /pod-available: demo-tikv-2: .*ImagePullBackOff/,
            /does-not-exist/,
            /Next: /,
        );
        assert.deepEqual(stoppedPods(played, before), ["demo-tikv-2"], "the others are left alone");
        const broken = (await arena().kubernetes.pods("image")).find((pod) => pod.metadata?.name === "demo-tikv-2");
        assertOk(await stack.up({ ...change, tikv: { version: "v8.5.3" } }));
        const images = await arena().kubernetes.images("image");
        const versions = ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2"].map((pod) => images[pod]);
        assert.deepEqual(versions, Array(3).fill("pingcap/tikv:v8.5.3"));
        const healed = (await arena().kubernetes.pods("image")).find((pod) => pod.metadata?.name === "demo-tikv-2");
        assert.notEqual(healed?.metadata?.uid, broken?.metadata?.uid);
        // The pod that never ran is not seen to stop; its store is the first that comes back.
        const order = eventsOf(played, ["store-up", "pod-stopped"], before).map(
            (event) => `${event.kind} ${event.pod}`,
        );
        assert.ok(order.indexOf("store-up demo-tikv-2") < order.indexOf("pod-stopped demo-tikv-1"), order.join(", "));
        assertSafeStops(played, before);
        await assertNothingLeft(arena(), stack);
    });

    it("a first deployment with an image that never starts fails in time, and the corrected one heals it", async () => {
        const stack = await clusterStack(arena(), "first-image");
        const operations = { timeouts: { podReadySeconds: 5 } };
        assertFailed(
            await stack.up({ version: "does-not-exist", operations }),
            /pd-answers: demo-pd: .*demo-pd-\d: container pd \(pingcap\/pd:does-not-exist\) is in ImagePullBackOff/,
        );
        assertOk(await stack.up({ version: "v8.5.3" }));
        await assertVersion(arena(), stack, "v8.5.3", 8);
        await assertNothingLeft(arena(), stack);
    });
});
