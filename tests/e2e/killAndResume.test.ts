import * as assert from "node:assert/strict";
import type { DataPlaneEvent } from "pulumi-tidb-sandbox";
import { type Arena, describeOnEngine } from "../support/e2e/arena";
import {
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
import { type ClusterStack, clusterStack } from "../support/e2e/stack";

/** Moments at which a run may be killed, by what PD and the pods have seen since it began. */
const moments: Record<string, (events: DataPlaneEvent[]) => boolean> = {
    "right after the first PD pod was deleted": (events) => events.some((event) => event.kind === "pod-stopped"),
    "during the first eviction": (events) => events.some((event) => event.kind === "eviction-begun"),
    "right after the first TiKV pod was deleted": (events) =>
        events.some((event) => event.kind === "pod-stopped" && event.component === "tikv"),
    "when the second eviction has ended": (events) =>
        events.filter((event) => event.kind === "eviction-ended").length === 2,
};

interface Killed {
    stack: ClusterStack;
    before: number;
    /** Pods that had stopped when the run was dead. */
    stopped: string[];
}

async function killUpgradeAt(arena: Arena, namespace: string, moment: (events: DataPlaneEvent[]) => boolean) {
    const stack = await clusterStack(arena, namespace);
    assertOk(await stack.up({ version: "v8.5.2" }));
    const played = stack.played();
    await dataLoaded(played);
    const before = played.events.length;
    const run = stack.startUp({ version: "v8.5.3" });
    await until("the moment to kill", () => moment(played.events.slice(before)) || undefined, 300_000);
    run.kill();
    const ended = await run.done;
    assert.ok(!ended.ok, "the run was killed");
    return { stack, before, stopped: stoppedPods(played, before) };
}

describeOnEngine("an upgrade whose run is killed", (arena) => {
    for (const [index, [when, moment]] of Object.entries(moments).entries()) {
        it(`${when} is finished by the next update, with no change in the program`, async () => {
            const { stack, before, stopped }: Killed = await killUpgradeAt(arena(), `killed-${index}`, moment);
            const played = stack.played();
            assert.ok(stopped.length >= 1 || index === 1);

            const resumed = assertOk(await stack.up({ version: "v8.5.3" }));
            await assertVersion(arena(), stack, "v8.5.3", 8);
            const all = stoppedPods(played, before);
            assert.equal(all.length, 8, `each pod is restarted once, whichever run did it: ${all.join(", ")}`);
            assert.equal(new Set(all).size, 8);
            assertSafeStops(played, before);
            const count = (kind: "eviction-begun" | "eviction-ended") => eventsOf(played, [kind], before).length;
            assert.equal(count("eviction-ended"), count("eviction-begun"));
            await assertNothingLeft(arena(), stack);
            assert.equal(resumed.changes.replace + resumed.changes.delete, 0);
            assertUnchanged(await stack.up({ version: "v8.5.3" }));
        });
    }

    it("shows in a preview what is left to be done, with no change in the program", async () => {
        const { stack }: Killed = await killUpgradeAt(
            arena(),
            "killed-preview",
            moments["right after the first TiKV pod was deleted"],
        );
        const plan = planOf(assertOk(await stack.preview({ version: "v8.5.3" })), "demo-tikv-rollout");
        const restarts = plan.filter((line) => line.startsWith("restart ")).map((line) => line.split(" ")[1]);
        assert.deepEqual(restarts, ["demo-tikv-1", "demo-tikv-0"]);
        assert.ok(
            plan.some((line) => / demo-tikv-2 /.test(line)),
            "its eviction is still to be ended",
        );
        assertOk(await stack.up({ version: "v8.5.3" }));
        await assertNothingLeft(arena(), stack);
    });
});
