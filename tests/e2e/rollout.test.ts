import * as assert from "node:assert/strict";
import { describeOnEngine, manyLeaders } from "../support/e2e/arena";
import {
    assertNothingLeft,
    assertOk,
    assertSafeStops,
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
import { statusOfStack } from "../support/e2e/statusCommand";

/** A version of the whole cluster, or of TiKV alone, and TiKV's configuration. */
const at = (version: string, level = "info", tikv: ClusterChange["tikv"] = {}): ClusterChange => ({
    version,
    tikv: { config: { log: { level } }, configUpdateStrategy: "RollingUpdate", ...tikv },
});

/** TiDB's configuration, changed without `configUpdateStrategy`. */
const inPlace = { tidb: { config: { log: { level: "warn" } } } };

/** One cluster: each roll-out begins where the one before has ended. */
describeOnEngine(
    "a roll-out",
    (arena) => {
        let stack: ClusterStack;
        before(async () => {
            stack = await clusterStack(arena(), "rolled");
            assertOk(await stack.up(at("v8.5.2")));
        });

        it("of a version is previewed pod by pod, and carried out in order, one pod at a time, each when it is safe", async () => {
            const played = stack.played();
            await dataLoaded(played);
            const before = played.events.length;

            const preview = assertOk(await stack.preview(at("v8.5.3")));
            const restarts = (gate: string) => planOf(preview, gate).filter((line) => line.startsWith("restart "));
            const targets = (gate: string) => restarts(gate).map((line) => / (demo-\S+)/.exec(line)?.[1]);
            assert.match(
                planOf(preview, "demo-tikv-rollout")[0],
                /^restart demo-tikv-2 .*: wait ~\d+ s \(PD's counts of regions are not known: .*\), raise /,
            );
            // The leader comes last, whichever it is.
            const leader = played.leader() ?? "";
            const followers = ["demo-pd-2", "demo-pd-1", "demo-pd-0"].filter((pod) => pod !== leader);
            assert.deepEqual(targets("demo-pd-rollout"), [...followers, leader]);
            assert.deepEqual(targets("demo-tikv-rollout"), ["demo-tikv-2", "demo-tikv-1", "demo-tikv-0"]);
            assert.deepEqual(targets("demo-tidb-rollout"), ["demo-tidb-1", "demo-tidb-0"]);
            assert.ok(
                restarts("demo-tikv-rollout").every((line) =>
                    /evict \d+ leaders, .*; until Ready, store Up/.test(line),
                ),
            );
            assert.ok(
                restarts("demo-tikv-rollout").every((line) =>
                    line.includes("raise PD's leader-schedule-limit from 4 to 64, evict "),
                ),
            );
            assert.ok(
                planOf(preview, "demo-pd-rollout").some((line) => line.includes("transfer leadership to demo-pd-")),
            );
            // Each gate says its plan in one message, and the clients' side in another; the TidbCluster has all plans in one line.
            const [summary, ...others] = messagesOf(preview, "demo");
            assert.match(
                summary,
                /^demo: 8 steps, about \d+ (s|min) \(rules of thumb for demo-pd, demo-tikv and demo-tidb: the journal of this cluster's updates does not show a restart\): restart 3 PD, 3 TiKV and 2 TiDB; no risk found$/,
            );
            assert.deepEqual(others, []);
            const [first, last] = [messagesOf(preview, "demo-pd-rollout"), messagesOf(preview, "demo-tidb-rollout")];
            assert.match(
                first[0],
                /^demo-pd: 3 steps, about 90 s \(rules of thumb\); no risk found\n {2}1\. restart demo-pd-\d .*\n {2}2\. .*\n {2}3\. /,
            );
            assert.match(
                last[0],
                /^demo-tidb: 2 steps, about 60 s \(rules of thumb\); no risk found\n {2}7\. restart demo-tidb-1 .*\n {2}8\. /,
            );
            assert.match(first[1], /^demo-pd: clients notice: PD's leader moves/);
            assert.match(last[1], /^demo-tidb: clients notice: 2 restarts of TiDB close their connections/);
            assert.deepEqual([first.length, last.length], [2, 2]);
            for (const line of [...planOf(preview, "demo-tikv-rollout"), summary]) {
                assert.ok(preview.output.includes(line), `plain output has: ${line}`);
            }
            assert.deepEqual(played.events.slice(before), [], "a preview moves nothing");
            await assertVersion(arena(), stack, "v8.5.2", 8);

            const update = assertOk(await stack.up(at("v8.5.3")));
            assert.deepEqual(
                messagesOf(update, "demo"),
                [],
                "an update reports its steps, and does not repeat the plan",
            );
            assert.ok(messagesOf(update, "demo-pd-rollout").every((message) => !message.includes("3 steps")));
            await assertVersion(arena(), stack, "v8.5.3", 8);
            const stopped = stoppedPods(played, before);
            assert.deepEqual(
                stopped.map((pod) => pod.replace(/-\d$/, "")),
                [...Array(3).fill("demo-pd"), ...Array(3).fill("demo-tikv"), ...Array(2).fill("demo-tidb")],
            );
            assert.equal(new Set(stopped).size, 8, "each pod is restarted once");
            assert.deepEqual(stopped.slice(3, 6), ["demo-tikv-2", "demo-tikv-1", "demo-tikv-0"]);
            assertSafeStops(played, before);
            // One store at a time: it is Up, and its eviction over, before the next is touched.
            const sequence = eventsOf(played, ["eviction-begun", "pod-stopped", "store-up", "eviction-ended"], before)
                .filter((event) => event.storeId !== undefined)
                .map((event) => `${event.kind} ${event.storeId}`);
            const stores = eventsOf(played, ["eviction-begun"], before).map((event) => event.storeId);
            assert.deepEqual(
                sequence,
                stores.flatMap((id) =>
                    ["eviction-begun", "pod-stopped", "store-up", "eviction-ended"].map((kind) => `${kind} ${id}`),
                ),
            );
            // The window is open from before the eviction until the leaders are back, once for each store.
            const limits = eventsOf(played, ["config-set", "eviction-begun", "eviction-ended"], before).map((event) =>
                event.kind === "config-set" ? event.detail : `${event.kind} ${event.storeId}`,
            );
            assert.deepEqual(
                limits,
                stores.flatMap((id) => [
                    "leader-schedule-limit = 64",
                    `eviction-begun ${id}`,
                    `eviction-ended ${id}`,
                    "leader-schedule-limit = 4",
                ]),
            );
            await assertNothingLeft(arena(), stack);

            // The same words would be no diff, hence no plan in the preview: those of the next roll-out must differ.
            const next = assertOk(await stack.preview(at("v8.5.4")));
            assert.equal(planOf(next, "demo-tidb-rollout").length, 2);
            const again = planOf(next, "demo-tikv-rollout").filter((line) => line.startsWith("restart "));
            assert.equal(again.length, 3);

            // The words of the last plan are named as hidden, not shown beside the new ones.
            const compared = assertOk(await stack.preview(at("v8.5.4"), { diff: true }));
            assert.match(compared.output, /^ *~ plan \(hidden\)$/m);
            assert.equal(compared.output.match(/restart demo-pd-2 /g)?.length, 1);
            // A gate's inputs that stay are not shown.
            assert.match(compared.output, /^ *~ planNumber *: 1 => 2$/m);
            assert.doesNotMatch(compared.output, /\bpolicy\b/);

            const unchanged = await stack.up(at("v8.5.3"));
            assertUnchanged(unchanged);
            assert.deepEqual(messagesOf(unchanged, "demo"), [], "nothing to say where nothing is to be done");
        });

        it("of TiKV's configuration restarts TiKV only, and of none with `InPlace` restarts nothing", async () => {
            const played = stack.played();
            const before = played.events.length;
            assertOk(await stack.up(at("v8.5.3", "warn")));
            assert.deepEqual(stoppedPods(played, before), ["demo-tikv-2", "demo-tikv-1", "demo-tikv-0"]);
            assertSafeStops(played, before);
            await assertNothingLeft(arena(), stack);

            const after = played.events.length;
            assertOk(await stack.up({ ...at("v8.5.3", "warn"), ...inPlace }));
            assert.deepEqual(stoppedPods(played, after), []);
        });

        it("goes on when somebody deletes a pod in the middle of it", async () => {
            const played = stack.played();
            await dataLoaded(played);
            const before = played.events.length;
            arena().sandbox.dataPlane.faults("rolled", "demo").stores["demo-tikv-2"] = { evictedLeadersPerSecond: 5 };
            const run = stack.startUp({ ...at("v8.5.3", "warn", { version: "v8.5.4" }), ...inPlace });
            await until("the first eviction begins", () => eventsOf(played, ["eviction-begun"], before)[0]);
            await assertStatusOfRollout(stack, arena().sandbox.kubeconfig);
            await arena().kubernetes.deletePod("rolled", "demo-tikv-0");
            assertOk(await run.done);
            const [first, ...others] = eventsOf(played, ["pod-stopped"], before);
            assert.equal(first.pod, "demo-tikv-0", "the one that was deleted by hand");
            for (const { pod, leaders, otherStoresNotUp } of others) {
                assert.deepEqual({ pod, leaders, otherStoresNotUp }, { pod, leaders: 0, otherStoresNotUp: [] });
            }
            assert.deepEqual(
                others.map((stop) => stop.pod),
                ["demo-tikv-2", "demo-tikv-1"],
                "it came back on the new revision",
            );
            await assertNothingLeft(arena(), stack);
            const { exitCode, errors, status } = await statusOfStack(stack, arena().sandbox.kubeconfig);
            assert.deepEqual([exitCode, errors], [0, ""]);
            assert.deepEqual(
                [status.conditions[0].reason, status.operation, status.evictions, status.notKnown],
                ["Ready", null, [], []],
            );
        });
    },
    { timings: manyLeaders },
);

/** The status while the leaders of the first store leave: who does what, what is left to do, and where everything is. */
async function assertStatusOfRollout(stack: ClusterStack, kubeconfig: string): Promise<void> {
    const { exitCode, errors, status } = await statusOfStack(stack, kubeconfig);
    assert.deepEqual([exitCode, errors, status.notKnown], [0, "", []]);
    const [{ status: ready, reason, message }] = status.conditions;
    assert.deepEqual([ready, reason], ["False", "StatefulSetNotUpToDate"]);
    assert.match(message, /^demo-tikv-0 runs an older revision; /);
    assert.match(status.operation?.step ?? "", /^roll out demo-tikv(, waiting: |: |$)/);
    assert.deepEqual([status.operation?.isOverdue, status.operation?.stopRequestedBy], [false, null]);
    const [{ pod, inForce, record, leaders }, ...others] = status.evictions;
    assert.deepEqual([pod, inForce, others], ["demo-tikv-2", { known: true, value: true }, []]);
    assert.ok(leaders.known && record && leaders.value < record.leadersBefore, JSON.stringify({ leaders, record }));
    const tikv = status.members.find(({ component }) => component === "tikv");
    assert.deepEqual([tikv?.wanted, tikv?.ready, tikv?.version, tikv?.upToDate], [3, 3, "v8.5.4", 0]);
    assert.deepEqual(tikv?.running, [{ version: "v8.5.3", pods: 3 }]);
    const pods = status.members.flatMap((member) => member.pods);
    assert.ok(pods.length === 8 && pods.every(({ node, zone }) => node !== null && zone.known && zone.value !== null));
    assert.ok(
        status.pd.known && status.pd.value.filter(({ isLeader }) => isLeader.known && isLeader.value).length === 1,
    );
    assert.ok(status.stores.known);
    assert.deepEqual(
        status.stores.value.map((store) => [store.pod, store.state, (store.capacityBytes ?? 0) > 0]),
        [0, 1, 2].map((ordinal) => [`demo-tikv-${ordinal}`, "Up", true]),
    );
}
