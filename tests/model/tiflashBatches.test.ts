import * as assert from "node:assert/strict";
import { assertNoViolation, assertReached, deployed, shortTimeouts } from "../support/simulation/clusters";
import { distant } from "../support/simulation/createWorld";
import { copyOf, endedAtEachChange, type Ending, NextRuns } from "../support/simulation/endings";
import type { Fault } from "../support/simulation/fault";
import { type Goal, up } from "../support/simulation/operate";
import { pass } from "../support/simulation/simulation";
import type { World } from "../support/simulation/world";

/** Five TiFlash stores, of which as many restart side by side as leave each region one of its two replicas. */
const sideBySide = { ...shortTimeouts, parallelism: 4 } as const;
const start: Goal = { pd: 3, tiflash: 5, tikv: 3, revision: "r1", policy: sideBySide };
const upgraded: Goal = { ...start, revision: "r2" };

const actionsOf = ({ log }: World, name: string, since: number): string[] =>
    log.slice(since).filter((line) => line.includes(`{"do":"${name}"`) && line.includes("tiflash"));

/** A deployed cluster whose tables have so many replicas on TiFlash. */
async function withReplicas(replicas: number, options: Parameters<typeof deployed>[1] = {}) {
    const cluster = await deployed(start, { regions: 8, ...options });
    cluster.simulation.world.tiflashReplicas = replicas;
    await pass(cluster.simulation, 120_000);
    return cluster;
}

const origins = new Map<number, ReturnType<typeof withReplicas>>();
async function upgrade(replicas: number, faults: readonly Fault[] = []) {
    const origin = origins.get(replicas) ?? withReplicas(replicas);
    origins.set(replicas, origin);
    const { simulation, stack } = copyOf(await origin);
    const { world } = simulation;
    world.faults = faults.map((fault) => ({ ...fault }));
    const since = world.log.length;
    const result = await up(simulation, stack, upgraded);
    return { simulation, stack, world, result, batches: actionsOf(world, "begin-batch", since), since };
}

describe("an upgrade of TiFlash side by side", function () {
    this.timeout(240_000);

    it("restarts stores together where each region keeps a replica, after one has restarted alone", async () => {
        const { simulation, stack, result, world, batches, since } = await upgrade(2);
        await assertReached(simulation, stack, upgraded, result);
        assert.ok(batches.length >= 1);
        assert.ok(batches.every((line) => !line.includes("basic-tiflash-4")));
        assert.equal(actionsOf(world, "delete-pod", since).length, 5);
    });

    it("restarts one by one where each region has a single replica on one of them", async () => {
        const { simulation, stack, result, world } = await upgrade(1);
        await assertReached(simulation, stack, upgraded, result);
        assertNoViolation(world);
    });

    it("of a version that does not start takes one pod down", async () => {
        const { simulation, stack } = copyOf(await (origins.get(2) ?? withReplicas(2)));
        const { world } = simulation;
        world.clusters.ours.badRevisions.add("tiflash bad");
        const since = world.log.length;
        assert.equal((await up(simulation, stack, { ...upgraded, revision: "bad" })).ending, "failed");
        assertNoViolation(world);
        assert.equal(actionsOf(world, "delete-pod", since).length, 1);
    });

    /** PD's three members restart first, then TiFlash's fifth store alone: the next one is the first one of the batch. */
    const after = (nth: number) => ({ after: { action: "delete-pod" as const, nth }, at: 100 });
    const faults: Record<string, Fault> = {
        "another store crashes": { kind: "crash", component: "tiflash", ordinal: 4, seconds: 40, ...after(4) },
        "a store of the batch crashes": { kind: "crash", component: "tiflash", ordinal: 2, seconds: 40, ...after(4) },
        "another store is lost with its node": {
            ...{ kind: "node-down", component: "tiflash", ordinal: 0, seconds: 90 },
            ...after(4),
        },
        "replicas fall behind": { kind: "peers-lag", region: 3, seconds: 60, ...after(4) },
        "PD's leadership moves": { kind: "pd-leader-moves", seconds: 1, ...after(4) },
        "PD does not answer": { kind: "pd-unreachable", seconds: 30, ...after(4) },
    };
    for (const [name, fault] of Object.entries(faults)) {
        it(`${name} after the first restart of a batch: it ends well`, async () => {
            const { simulation, stack, world, result } = await upgrade(2, [fault]);
            assertNoViolation(world);
            assert.ok(
                world.log.some((line) => line.includes("fault")),
                "the fault has struck",
            );
            if (result.ending === "failed") {
                await pass(simulation, 120_000);
            }
            const last = result.ending === "done" ? result : await up(simulation, stack, upgraded);
            await assertReached(simulation, stack, upgraded, last);
        });
    }
});

describe("the next run goes on with the batch of TiFlash of a run that ended at any of its changes", function () {
    this.timeout(240_000);
    const far = withReplicas(2, distant);
    const nextRuns = new NextRuns();
    const nextGoals: readonly Goal[] = [
        upgraded,
        start,
        { ...upgraded, policy: shortTimeouts },
        { ...upgraded, revision: "r3" },
    ];
    const endings: Record<string, Ending> = {
        "killed right after it": { when: "after", how: "kill" },
        "asked to stop": { when: "after", how: "stop" },
    };
    for (const [name, ending] of Object.entries(endings)) {
        it(name, async () => {
            for await (const left of endedAtEachChange(await far, upgraded, ending, 3)) {
                assertNoViolation(left.simulation.world);
                await pass(left.simulation, 3_000);
                await nextRuns.reach(left, nextGoals[left.change % nextGoals.length]);
            }
        });
    }
});
