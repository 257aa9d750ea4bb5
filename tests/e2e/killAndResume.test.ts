import * as assert from "node:assert/strict";
import type { DataPlaneEvent } from "pulumi-tidb-sandbox";
import { describeOnEngine, manyLeaders } from "../support/e2e/arena";
import {
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    assertUnchanged,
    assertVersion,
    dataLoaded,
    eventsOf,
    limitOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { timelineOfStack, timelinePage } from "../support/e2e/statusCommand";
import type { Arena } from "../support/e2e/arena";
import { elementsOf, parseHtml, textOf } from "../support/parseHtml";

/**
 * Moments at which a run may be killed, by what PD and the pods have seen since it began. `oneDay.test.ts` has one during an eviction,
 * and `tests/model/killAndResume.test.ts` every other one.
 */
const moments: Record<string, (events: DataPlaneEvent[]) => boolean> = {
    "right after the first PD pod was deleted": (events) => events.some((event) => event.kind === "pod-stopped"),
    "right after the first TiKV pod was deleted": (events) =>
        events.some((event) => event.kind === "pod-stopped" && event.component === "tikv"),
    "when the second eviction has ended": (events) =>
        events.filter((event) => event.kind === "eviction-ended").length === 2,
};

interface Killed {
    before: number;
    /** Pods that had stopped when the run was dead. */
    stopped: string[];
}

async function killUpgradeAt(
    stack: ClusterStack,
    version: string,
    moment: (events: DataPlaneEvent[]) => boolean,
): Promise<Killed> {
    const played = stack.played();
    await dataLoaded(played);
    const before = played.events.length;
    const run = stack.startUp({ version });
    await until("the moment to kill", () => moment(played.events.slice(before)) || undefined, 300_000);
    run.kill();
    const ended = await run.done;
    assert.ok(!ended.ok, "the run was killed");
    return { before, stopped: stoppedPods(played, before) };
}

/** One cluster for all moments: each upgrade begins where the one before has ended. */
describeOnEngine(
    "an upgrade whose run is killed",
    (arena) => {
        let stack: ClusterStack;
        before(async () => {
            stack = await clusterStack(arena(), "killed");
            assertOk(await stack.up({ version: "v8.5.2" }));
        });

        for (const [index, [when, moment]] of Object.entries(moments).entries()) {
            const version = `v8.5.${3 + index}`;
            const previewed = when === "right after the first TiKV pod was deleted";
            const shown = previewed ? "shown by a preview and " : "";
            it(`${when} is ${shown}finished by the next update, with no change in the program`, async () => {
                const { before, stopped } = await killUpgradeAt(stack, version, moment);
                const played = stack.played();
                assert.ok(stopped.length >= 1);
                if (previewed) {
                    assert.equal(
                        limitOf(played),
                        64,
                        "PD keeps what the dead run has set, until the next one puts it back",
                    );
                    await assertPreviewShowsTheRest(stack, version);
                }

                const resumed = assertOk(await stack.up({ version }));
                await assertVersion(arena(), stack, version, 8);
                const all = stoppedPods(played, before);
                assert.equal(all.length, 8, `each pod is restarted once, whichever run did it: ${all.join(", ")}`);
                assert.equal(new Set(all).size, 8);
                assertSafeStops(played, before);
                const count = (kind: "eviction-begun" | "eviction-ended") => eventsOf(played, [kind], before).length;
                assert.equal(count("eviction-ended"), count("eviction-begun"));
                await assertNothingLeft(arena(), stack);
                assert.equal(resumed.changes.replace + resumed.changes.delete, 0);
            });
        }

        it("leaves nothing to do", async () => {
            assertUnchanged(await stack.up({ version: `v8.5.${2 + Object.keys(moments).length}` }));
        });

        it("shows in the timeline and in Events: what the killed run did, and what the next one did", async () => {
            await assertTimeline(arena(), stack);
            await assertEvents(arena(), stack);
        });
    },
    { timings: manyLeaders },
);

/** The last upgrade was killed when the second eviction had ended. */
async function assertTimeline(arena: Arena, stack: ClusterStack): Promise<void> {
    const { operations } = await timelineOfStack(stack, arena.sandbox.kubeconfig);
    const [killed, resumed] = operations.filter(({ what }) => what === "roll out demo-tikv").slice(-2);
    assert.deepEqual([killed.state, resumed.state], ["interrupted", "done"]);
    assert.notEqual(killed.holder, resumed.holder);
    const planned = killed.plan?.lines.filter((line) => line.startsWith("restart demo-tikv-")) ?? [];
    assert.equal(planned.length, 3, killed.plan?.lines.join("\n"));
    const actions = [...killed.entries, ...resumed.entries].flatMap((entry) => (entry.is === "act" ? [entry] : []));
    const restarts = actions.filter((one) => one.do === "delete-pod");
    // The journal is written every two seconds at most, and this restart takes less: the kill may lose it. Events have it.
    assert.deepEqual(
        restarts.map(({ target }) => target).filter((target) => target !== "demo-tikv-1"),
        ["demo-tikv-2", "demo-tikv-0"],
    );
    for (const { held = [], seen } of restarts) {
        assert.ok(held.includes("other-stores-up") && held.includes("leaders-evicted"), held.join());
        assert.ok(seen.includes("stores Up 3 of 3") && seen.includes("pending peers 0"), seen.join());
    }
    const phasesOf = (pod: string) =>
        resumed.entries.flatMap((entry) => (entry.is === "pod" && entry.pod === pod ? [entry.phase] : []));
    assert.deepEqual(
        phasesOf("demo-tikv-0").filter((phase, index, all) => phase !== all[index - 1] && phase !== "gone"),
        ["evicting", "down", "leaders-back", "up"],
    );
    // A wait of less than a second is left out, and on a fast machine one store has no longer one. All restarts together have.
    const waits = operations.flatMap(({ entries }) => entries.flatMap((entry) => (entry.is === "wait" ? [entry] : [])));
    assert.ok(waits.length > 0, "no run has waited for anything");
    assert.deepEqual(
        waits.filter(({ step, target, why }) => [step, target, why].includes("")),
        [],
    );

    const page = parseHtml(await timelinePage(stack, arena.sandbox.kubeconfig));
    const rows = elementsOf(page).filter(({ attributes }) => attributes.class === "row");
    const names = rows.flatMap((row) => elementsOf(row).filter(({ attributes }) => attributes.class === "name"));
    const pods = (await arena.kubernetes.pods(stack.namespace)).map(({ metadata }) => metadata?.name ?? "");
    const members = pods.filter((pod) => !pod.includes("discovery"));
    assert.deepEqual([...new Set(names.map(textOf))].sort(), members.sort());
}

async function assertEvents(arena: Arena, stack: ClusterStack): Promise<void> {
    const ours = (await arena.kubernetes.events(stack.namespace)).filter(
        (event) => event.reportingComponent === "pulumi-tidb.io/gates",
    );
    const on = (kind: string, name: string) =>
        ours.filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name);
    const restarts = on("StatefulSet", "demo-tikv").filter(({ reason }) => reason === "DeletePod");
    // One run was killed at the moment of a restart: it may not have reported that one any more.
    const all = 3 * Object.keys(moments).length;
    assert.ok(restarts.length === all || restarts.length === all - 1, `${restarts.length} of ${all} restarts`);
    assert.match(
        restarts[0].message ?? "",
        /^restart demo-tikv-\d.* Held: .*leaders-evicted.* Seen: .*stores Up 3 of 3/,
    );
    const pod = (await arena.kubernetes.pods(stack.namespace)).find((one) => one.metadata?.name === "demo-tikv-0");
    const ended = on("Pod", "demo-tikv-0").filter(({ involvedObject }) => involvedObject.uid === pod?.metadata?.uid);
    assert.deepEqual([...new Set(ended.map(({ reason }) => reason))], ["EndEviction"], "on the pod that runs now");
}

async function assertPreviewShowsTheRest(stack: ClusterStack, version: string): Promise<void> {
    const plan = planOf(assertOk(await stack.preview({ version })), "demo-tikv-rollout");
    const restarts = plan.filter((line) => line.startsWith("restart ")).map((line) => line.split(" ")[1]);
    assert.deepEqual(restarts, ["demo-tikv-1", "demo-tikv-0"]);
    assert.ok(
        plan.some((line) => / demo-tikv-2 /.test(line)),
        "its eviction is still to be ended",
    );
}
