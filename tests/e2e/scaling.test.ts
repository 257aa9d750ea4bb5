import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertUnchanged,
    dataLoaded,
    eventsOf,
    messagesOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { kubernetesObjects } from "../support/e2e/kubernetesObjects";
import { assertSamePlan, planFile, writtenState } from "../support/e2e/planFile";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { codesOf } from "../support/repeats";

const given = "tidb.pingcap.com/pvc-defer-deleting";

describeOnEngine("scaling", (arena) => {
    const to = (replicas: number) => ({ pd: { replicas: 1 }, tidb: { replicas: 1 }, tikv: { replicas } });
    let stack: ClusterStack;
    before(async () => {
        stack = await clusterStack(arena(), "tikv-scale");
    });

    it("a first deployment's plan is deferred, in the preview as for a file", async () => {
        const planned = await planFile(arena(), stack, to(3));
        const { isDeployed, deferred } = planned.plan;
        assert.deepEqual([planned.exitCode, isDeployed, codesOf(deferred)], [2, false, ["first-deployment"]]);
        const firstPreview = assertOk(await stack.preview(to(3)));
        const shown = firstPreview.steps.find(({ name }) => name === "demo-tikv-rollout")?.diff.deferred?.after;
        assert.equal(shown, `deferred: ${deferred[0].message}`);
        assertOk(await stack.up(to(3)));
    });

    it("TiKV 3 to 2 is refused by preview and update alike, and every store stays Up", async () => {
        const played = stack.played();
        const before = played.events.length;
        const refusal = [/spec\.tikv\.replicas/, /\b2 Up TiKV stores would be left/, /3 replicas/, /max-replicas/];
        const preview = await stack.preview(to(2));
        const shown = assertFailed(preview, ...refusal, /Next: /);
        assert.deepEqual(messagesOf(preview, "demo"), [], "no summary of a plan that is refused");
        const filePlan = await planFile(arena(), stack, to(2));
        assert.equal(filePlan.exitCode, 1);
        assert.equal(filePlan.plan.refusals.length, 1);
        assert.ok(onOneLine(shown).includes(onOneLine(filePlan.plan.refusals[0].reason)), shown);
        assertFailed(await stack.up(to(2)), ...refusal);
        assertFailed(await stack.up(to(2), { skipPreview: false }), ...refusal);
        assert.deepEqual(eventsOf(played, ["store-deleted", "pod-stopped"], before), []);
        assert.deepEqual(
            played.stores().map((store) => store.state),
            ["Up", "Up", "Up"],
        );
        assert.equal(played.stores().length, 3);
        await assertNothingLeft(arena(), stack);
    });

    it("TiKV 3 to 4 to 3 to 4: its store leaves PD first, and its volume is never used again", async () => {
        const claimOf = async (pod: string) =>
            (await arena().kubernetes.claims("tikv-scale")).find((claim) => claim.metadata?.name === `tikv-${pod}`);
        const played = stack.played();
        await dataLoaded(played);

        assertOk(await stack.up(to(4)));
        const first = played.storeOfPod("demo-tikv-3");
        assert.equal(first?.state, "Up");
        const firstClaim = await claimOf("demo-tikv-3");
        assert.equal(stoppedPods(played).length, 0, "scaling out restarts nothing");

        const before = played.events.length;
        const preview = assertOk(await stack.preview(to(3)));
        const plan = planOf(preview, "demo-tikv-scale");
        assert.equal(plan.length, 1);
        assert.match(
            plan[0],
            new RegExp(
                `^remove demo-tikv-3 .*remove store ${first?.id}, move its \\d+ regions, mark its volumes as released \\(`,
            ),
        );
        assert.match(
            messagesOf(preview, "demo-tikv-scale")[0],
            /^demo-tikv: 1 step, about \d+ (s|min) \(rules of thumb\); .*\n {2}1\. remove demo-tikv-3 /,
        );
        assert.match(
            messagesOf(preview, "demo")[0],
            /^demo: 1 step, about \d+ (s|min) \(rules of thumb for demo-tikv: the journal of this cluster's updates does not show .+\): remove 1 TiKV; no risk found$/,
        );
        assert.deepEqual(played.events.slice(before), []);
        const written = await writtenState(arena(), stack);
        const filePlan = await planFile(arena(), stack, to(3));
        assert.equal(filePlan.exitCode, 2);
        assertSamePlan(filePlan, preview, stack);
        const upgrade = { ...to(4), version: "v8.5.3", tikv: { replicas: 4, config: { "log-level": "warn" } } };
        const upgradePlan = await planFile(arena(), stack, upgrade);
        assert.deepEqual(await writtenState(arena(), stack), written, "a plan changes nothing");
        assertSamePlan(upgradePlan, assertOk(await stack.preview(upgrade)), stack);
        assert.ok(upgradePlan.plan.entries.some(({ text }) => text.startsWith("config of tikv: log-level")));
        assertOk(await stack.up(to(3)));
        const kinds = eventsOf(played, ["store-deleted", "store-tombstone", "pod-stopped"], before);
        assert.deepEqual(
            kinds.map((event) => event.kind),
            ["store-deleted", "store-tombstone", "pod-stopped"],
        );
        assert.equal(kinds[0].storeId, first?.id);
        assert.equal(kinds[2].pod, "demo-tikv-3");
        assert.ok((await claimOf("demo-tikv-3"))?.metadata?.annotations?.[given], "the claim is marked as released");
        assert.equal((await claimOf("demo-tikv-2"))?.metadata?.annotations?.[given], undefined);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(to(3)));
        const unchanged = await planFile(arena(), stack, to(3));
        assert.deepEqual([unchanged.exitCode, unchanged.errors, unchanged.plan.entries], [0, "", []]);
        assert.equal(unchanged.plan.owner?.stack.split("/").at(-1), "tikv-scale");

        assertOk(await stack.up(to(4)));
        const second = played.storeOfPod("demo-tikv-3");
        assert.equal(second?.state, "Up");
        assert.notEqual(second?.id, first?.id);
        const secondClaim = await claimOf("demo-tikv-3");
        assert.notEqual(secondClaim?.metadata?.uid, firstClaim?.metadata?.uid, "a new, empty volume");
        assert.equal(secondClaim?.metadata?.annotations?.[given], undefined);
        assert.equal(eventsOf(played, ["store-refused"]).length, 0);
        await assertNothingLeft(arena(), stack);
    });

    it("TiKV 4 to 3 is refused while the others are low on space, and later names those that take no region", async () => {
        const played = stack.played();
        const before = played.events.length;
        const others = ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2"];
        const fill = (pods: readonly string[], freeBytes?: number) =>
            pods.forEach((pod) => Object.assign((played.faults.stores[pod] ??= {}), { freeBytes }));
        fill(others, 5 * 1024 ** 3);
        const refusal = [
            /spec\.tikv\.replicas/,
            /no other store takes regions: store \d+ \(demo-tikv-\d, 0% free\)/,
            /low-space-ratio/,
        ];
        assertFailed(await stack.preview(to(3)), ...refusal);
        assertFailed(await stack.up(to(3)), ...refusal);
        assert.deepEqual(eventsOf(played, ["store-deleted"], before), []);
        // Regions of which the free one has a copy already wait for the others.
        fill(others.slice(0, 1));
        const lines: string[] = [];
        const run = stack.startUp(to(3), { onLine: (line) => lines.push(line) });
        const names =
            /PD moves none to store \d+ \(demo-tikv-\d, 0% free\), store \d+ \(demo-tikv-\d, 0% free\): under 20% free/;
        await until("the wait names them", () => lines.some((line) => names.test(line)) || undefined, 120_000);
        fill(others);
        assertOk(await run.done);
        assertOk(await stack.up(to(4)));
        await assertNothingLeft(arena(), stack);
    });

    it("TiKV that `kubectl scale` starts with a released volume crashes as a real one, and `up` takes it back at once", async () => {
        const pod = "demo-tikv-3";
        const status = async () =>
            (await arena().kubernetes.pods("tikv-scale")).find(({ metadata }) => metadata?.name === pod)?.status;
        const own = async () => (await status())?.containerStatuses?.find(({ name }) => name === "tikv");
        const played = stack.played();
        assertOk(await stack.up(to(3)));
        const gone = played.storeOfPod(pod);
        assert.equal(gone?.state, "Tombstone");

        const before = played.events.length;
        const objects = await kubernetesObjects(arena().sandbox.kubeconfig, "tikv-scale");
        await objects.scale("demo-tikv", 4);
        const { waiting } = await until(`${pod} crashes`, async () => {
            const state = (await own())?.state;
            return state?.waiting?.reason === "CrashLoopBackOff" ? state : undefined;
        });
        assert.match(waiting?.message ?? "", new RegExp(`belongs to store ${gone?.id}, which is Tombstone`));
        assert.deepEqual(
            ((await status())?.conditions ?? []).filter(({ type }) => type.endsWith("Ready")).map((one) => one.status),
            ["False", "False"],
        );
        const [step] = planOf(assertOk(await stack.preview(to(3))), "demo-tikv-scale");
        assert.match(step, /^remove demo-tikv-3 \(4 to 3 replicas\)/);
        // A process that may still register itself would be waited for, longer than this run has time.
        assertOk(await stack.up(to(3)));
        await until(`${pod} is gone`, async () => (await status()) === undefined);
        const kinds = eventsOf(played, ["store-refused", "pod-stopped", "store-joined"], before);
        assert.deepEqual(
            kinds.map((event) => [event.kind, event.pod]),
            [
                ["store-refused", pod],
                ["pod-stopped", pod],
            ],
        );
        await assertNothingLeft(arena(), stack);

        assertOk(await stack.up(to(4)));
        assert.deepEqual([played.storeOfPod(pod)?.state, (await own())?.restartCount], ["Up", 0]);
    });

    it("PD 3 to 5 to 3 and TiDB 2 to 4 to 2: members leave PD before their pods go", async () => {
        const stack = await clusterStack(arena(), "pd-scale");
        const to = (pd: number, tidb: number) => ({
            pd: { replicas: pd },
            tidb: { replicas: tidb },
            tikv: { replicas: 3 },
        });
        assertOk(await stack.up(to(3, 2)));
        const played = stack.played();
        assertOk(await stack.up(to(5, 4)));
        assert.equal(played.members().filter((member) => member.healthy).length, 5);
        assert.equal(stoppedPods(played).length, 0);

        const before = played.events.length;
        const preview = assertOk(await stack.preview(to(3, 2)));
        assert.deepEqual(
            planOf(preview, "demo-pd-scale").map((line) => line.split(" (")[0]),
            ["remove demo-pd-4", "remove demo-pd-3"],
        );
        assertOk(await stack.up(to(3, 2)));
        assert.deepEqual(
            played
                .members()
                .map((member) => member.name)
                .sort(),
            ["demo-pd-0", "demo-pd-1", "demo-pd-2"],
        );
        const order = eventsOf(played, ["member-deleted", "pod-stopped"], before).map(
            (event) => `${event.kind} ${event.member ?? event.pod}`,
        );
        for (const pod of ["demo-pd-4", "demo-pd-3"]) {
            const deleted = order.indexOf(`member-deleted ${pod}`);
            const stopped = eventsOf(played, ["pod-stopped"], before).find((event) => event.pod === pod);
            assert.ok(deleted >= 0 && stopped, order.join(", "));
            assert.equal(stopped.ledPd, false);
            assert.ok(stopped.quorumLeft);
            const deletion = eventsOf(played, ["member-deleted"], before).find((event) => event.member === pod);
            assert.ok((deletion?.at ?? Infinity) < stopped.at, order.join(", "));
        }
        assert.deepEqual(
            stoppedPods(played, before)
                .filter((pod) => pod.startsWith("demo-tidb"))
                .sort(),
            ["demo-tidb-2", "demo-tidb-3"],
        );
        await assertNothingLeft(arena(), stack);

        assertOk(await stack.up(to(5, 4)));
        assert.equal(played.members().filter((member) => member.healthy).length, 5, "the removed ones join anew");
    });
});

function onOneLine(text: string): string {
    return text.replace(/\s+/g, " ");
}
