import * as assert from "node:assert/strict";
import type { ClusterStatus } from "../../status/clusterStatus";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    dataLoaded,
    eventsOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { approvePlan, statusOfStack, stopRun } from "../support/e2e/statusCommand";
import { repeats } from "../support/repeats";

const small = { pd: { replicas: 1 }, tidb: { replicas: 1 }, operations: { approval: "step" as const } };
/** TiKV alone is restarted. */
const upgraded = { ...small, tikv: { version: "v8.5.3" } };

describeOnEngine("an upgrade with approval by step", (arena) => {
    let stack: ClusterStack;
    before(async () => {
        stack = await clusterStack(arena(), "approved");
        assertOk(await stack.up(small));
    });

    it("takes each step only with a consent to the plan as it is, and waits for it without the lock", async () => {
        const { kubeconfig } = arena().sandbox;
        const played = stack.played();
        await dataLoaded(played);
        const before = played.events.length;
        const approve = (digest: string, ...more: string[]) => approvePlan(stack, kubeconfig, digest, ...more);
        const waiting = async (what: string, isIt: (approval: ClusterStatus["approvals"][number]) => boolean) => {
            const waits = async () => {
                const { status } = await statusOfStack(stack, kubeconfig);
                return status.approvals.some(isIt) ? status : undefined;
            };
            await until(what, waits, 120_000);
            // One status reads the pods and the Lease side by side: its pods may be older than the wait.
            return until(what, waits);
        };
        const assertAtRest = (status: ClusterStatus) => {
            assert.equal(status.operation, null);
            // What is on record of an eviction that has ended stays for a few seconds. No leader is kept away any more.
            for (const { inForce, record } of status.evictions) {
                assert.deepEqual([!inForce.known || inForce.value, record?.endedAt === null], [false, false]);
            }
            assert.deepEqual(
                status.members.map(({ ready, wanted }) => ready - wanted),
                [0, 0, 0],
            );
        };

        const preview = assertOk(await stack.preview(upgraded));
        const line = planOf(preview, "demo-tikv-rollout").at(-1)!;
        const [, previewed] = /^approve: `npx pulumi-tidb approve demo (\w+) --namespace approved` lets through: /.exec(
            line,
        )!;
        assert.match(line, /lets through: restart demo-tikv-2, the first of 3 steps$/);
        assert.ok(preview.output.includes(line));

        const run = stack.startUp(upgraded);
        const first = await waiting("a run that waits for approval", () => true);
        assert.equal(first.approvals[0].digest, previewed, "the digest that the preview has shown");
        assertAtRest(first);
        assert.deepEqual(stoppedPods(played, before), []);

        // The plan changes before the consent to the old one is given: a pod comes back on the new template.
        await arena().kubernetes.deletePod("approved", "demo-tikv-0");
        const second = await waiting("a new digest", ({ digest }) => digest !== previewed);
        assert.equal(second.approvals[0].lets, "restart demo-tikv-2, the first of 2 steps");
        assert.equal(second.approvals[0].change, "without restart demo-tikv-0");
        const afterwards = played.events.length;
        const late = await approve(previewed);
        assert.equal(late.exitCode, 1);
        repeats(late.errors, second.approvals[0].digest);
        assert.equal((await approve(previewed, "--ahead")).exitCode, 0);
        const { consents } = (await statusOfStack(stack, kubeconfig)).status;
        assert.deepEqual(
            consents.map(({ digest, counts }) => [digest, counts]),
            [[previewed, true]],
        );
        assert.equal((await approve(previewed, "--withdraw")).exitCode, 0);
        assert.deepEqual((await statusOfStack(stack, kubeconfig)).status.consents, []);
        await new Promise((resolve) => setTimeout(resolve, 5_000));
        assert.deepEqual(stoppedPods(played, before), ["demo-tikv-0"], "only the pod that was deleted by hand");
        assert.equal(eventsOf(played, ["eviction-begun"], before).length, 0);

        const unasked = await approve("--next");
        assert.equal(unasked.exitCode, 1, "there is no terminal to ask in");
        const said = await approve("--next", "--yes");
        assert.match(said.output, /^approved \w+ of approved\/demo: restart demo-tikv-2, the first of 2 steps \(/m);
        const third = await waiting("the next step", ({ lets }) => lets === "restart demo-tikv-1");
        assert.deepEqual(stoppedPods(played, before), ["demo-tikv-0", "demo-tikv-2"]);
        assertAtRest(third);

        // A stop ends the wait, and the consent that comes meanwhile is the next run's.
        await stopRun(stack, kubeconfig);
        assertFailed(await run.done, /asked the run to stop at a safe point/);
        const { status } = await statusOfStack(stack, kubeconfig);
        assert.deepEqual(status.approvals, []);
        const early = await approve(third.approvals[0].digest);
        assert.equal(early.exitCode, 0, early.errors);
        assertOk(await stack.up(upgraded));
        assert.deepEqual(stoppedPods(played, before), ["demo-tikv-0", "demo-tikv-2", "demo-tikv-1"]);
        assertSafeStops(played, afterwards);
        await assertNothingLeft(arena(), stack);

        const used = await approve(third.approvals[0].digest, "--withdraw");
        assert.equal(used.exitCode, 1);
        repeats(used.errors, third.approvals[0].digest);
        const wrong = await approve("3F9C");
        assert.equal(wrong.exitCode, 1);
        repeats(wrong.errors, "3F9C");
    });
});
