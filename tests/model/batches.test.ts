import * as assert from "node:assert/strict";
import { assertNoViolation, assertReached, deployed, shortTimeouts } from "../support/simulation/clusters";
import { copyOf, endedAtEachChange, type Ending, NextRuns } from "../support/simulation/endings";
import { distant, type WorldOptions } from "../support/simulation/createWorld";
import type { Fault } from "../support/simulation/fault";
import { type Goal, up } from "../support/simulation/operate";
import { type Roll, rollOf } from "../support/simulation/rolls";
import { pass } from "../support/simulation/simulation";
import type { World } from "../support/simulation/world";
import { isFailure } from "../support/failsWith";

/** Six stores in three zones: 0 and 3, 1 and 4, 2 and 5. */
const zones = { zones: 3, regions: 30 };
/** Each region stands for 200, so they are too many to list: only PD's gauge proves a batch. */
const many = { ...zones, weight: 200 };
/** Each store leads about 450 regions, so their return is waited for, and PD can balance them. */
const busy = { zones: 3, regions: 900, weight: 3, delays: { write: 0 } };
const patient = { evictLeaderTimeoutSeconds: 3_600, leadersBackTimeoutSeconds: 3_600 };
const byZone = { ...shortTimeouts, parallelism: "zone" } as const;
const start: Goal = { pd: 3, tikv: 6, revision: "r1", policy: byZone };
const upgraded: Goal = { ...start, revision: "r2" };

/** The actions of the log, from a time on. */
const actionsOf = ({ log }: World, name: string, since = 0): string[] =>
    log.slice(since).filter((line) => line.includes(`{"do":"${name}"`));
const recordsTextOf = ({ clusters }: World): string =>
    clusters.ours.lease.metadata?.annotations?.["pulumi-tidb.io/records"] ?? "";
const podsOf = (lines: readonly string[]): string[] => lines.flatMap((line) => /basic-tikv-\d/g.exec(line) ?? []);

/** An upgrade of a copy of the cluster with faults. */
async function upgrade(options: WorldOptions, faults: Fault[] = [], goal = upgraded) {
    const { simulation, stack } = await deployedCopy(options);
    const { world } = simulation;
    world.faults = faults.map((fault) => (fault.after ? fault : { ...fault, at: world.now + fault.at }));
    const since = world.log.length;
    const beganAt = world.now;
    const result = await up(simulation, stack, goal);
    const restarts = podsOf(actionsOf(world, "delete-pod", since));
    return { simulation, stack, world, result, since, restarts, seconds: (world.now - beganAt) / 1000 };
}

const origins = new Map<WorldOptions, ReturnType<typeof deployed>>();
async function deployedCopy(options: WorldOptions) {
    const origin = origins.get(options) ?? deployed(start, options);
    origins.set(options, origin);
    return copyOf(await origin);
}

const together = (restarts: readonly string[]) =>
    restarts.map((pod) => Number(pod.at(-1)) % 3).filter((zone, index, all) => zone !== all[index - 1]);

describe("an upgrade by zone", function () {
    this.timeout(240_000);

    for (const [name, options] of Object.entries({ "few regions": zones, "many regions": many })) {
        it(`restarts one zone after the other, with ${name}`, async () => {
            const done = await upgrade(options);
            await assertReached(done.simulation, done.stack, upgraded, done.result);
            assert.equal(actionsOf(done.world, "begin-batch", done.since).length, 3);
            assert.equal(done.restarts.length, 6);
            assert.equal(together(done.restarts).length, 3, done.restarts.join());
        });
    }

    it("takes at most 1.2 times as long as three batches: one by one, three stores with the same regions", async () => {
        // Stores report every 10 s, so one upgrade is up to 10 s a store longer than the same one begun a moment later.
        const seconds = async (tikv: number, parallelism: 1 | "zone") => {
            const goal: Goal = { pd: 1, tikv, revision: "r1", policy: { ...patient, parallelism } };
            const rolls: Roll[] = [];
            for (const idleSeconds of [0, 2.5, 5, 7.5]) {
                rolls.push(await rollOf(goal, busy, idleSeconds));
            }
            return rolls.reduce((sum, { whole }) => sum + whole / rolls.length, 0);
        };
        const [zoned, batches] = [await seconds(6, "zone"), await seconds(3, 1)];
        assert.ok(zoned <= 1.2 * batches, `${zoned} s by zone, ${batches} s for three batches`);
        const single = await seconds(6, 1);
        assert.ok(zoned <= 0.7 * single, `${zoned} s by zone, ${single} s one by one`);
    });

    it("restarts one by one while regions have two voters in one zone, and side by side once they have not", async () => {
        const { simulation, stack } = await deployedCopy(many);
        const { world } = simulation;
        world.faults = [{ kind: "misplaced", region: 0, at: world.now, seconds: 1 }];
        await pass(simulation, 30_000);
        const since = world.log.length;
        await assertReached(simulation, stack, upgraded, await up(simulation, stack, upgraded));
        assert.deepEqual(actionsOf(world, "begin-batch", since), []);
    });

    for (const [patrolSeconds, isMisplaced, batches] of [
        [45, false, 3],
        [45, true, 0],
        [90, false, 0],
        [90, true, 0],
    ] as const) {
        const what = isMisplaced ? "a region has just got its second voter in one zone" : "nothing has moved";
        it(`takes ${batches} batches if PD looks at all regions once in ${patrolSeconds} s, and ${what}`, async () => {
            const goal: Goal = { ...start, pd: 1 };
            const { simulation, stack } = await deployed(goal, { ...many, patrolSeconds });
            const { world } = simulation;
            await pass(simulation, 300_000);
            world.faults = isMisplaced ? [{ kind: "misplaced", region: 0, at: world.now, seconds: 1 }] : [];
            await pass(simulation, 20_000);
            const since = world.log.length;
            // PD keeps its leader.
            const result = await up(simulation, stack, { ...goal, revision: "r2", pdRevision: "r1" });
            assertNoViolation(world);
            assert.equal(result.ending, "done", result.error?.message);
            assert.equal(actionsOf(world, "begin-batch", since).length, batches);
        });
    }

    it("a number of stores restarts side by side where the list of regions proves it", async () => {
        const goal: Goal = { ...upgraded, policy: { ...byZone, parallelism: 3 } };
        const done = await upgrade(zones, [], goal);
        await assertReached(done.simulation, done.stack, goal, done.result);
        assert.ok(actionsOf(done.world, "begin-batch", done.since).length >= 2);
    });

    const after = (action: "begin-batch" | "begin-eviction" | "delete-pod" | "end-eviction", nth: number) => ({
        after: { action, nth },
        at: 100,
    });
    /** PD's three pods restart first. */
    const firstTikv = 3;
    const faults: Record<string, Fault> = {
        "a store of another zone crashes right after the first restart": {
            ...{ kind: "crash", component: "tikv", ordinal: 1, seconds: 40, ...after("delete-pod", firstTikv) },
        },
        "its node is lost while leaders leave": {
            ...{ kind: "node-down", component: "tikv", ordinal: 0, seconds: 60, ...after("begin-eviction", 1) },
        },
        "the other store of the batch crashes after the first restart": {
            ...{ kind: "crash", component: "tikv", ordinal: 2, seconds: 40, ...after("delete-pod", firstTikv) },
        },
        "PD's leader moves after the first restart": {
            ...{ kind: "pd-leader-moves", seconds: 1, ...after("delete-pod", firstTikv) },
        },
        "PD's leader moves while leaders leave": {
            ...{ kind: "pd-leader-moves", seconds: 1, ...after("begin-eviction", 0) },
        },
        "regions get two voters in one zone while leaders leave": {
            ...{ kind: "misplaced", region: 3, seconds: 1, ...after("begin-eviction", 1) },
        },
        "regions lose a voter after the first restart": {
            ...{ kind: "peer-lost", region: 3, seconds: 40, ...after("delete-pod", firstTikv) },
        },
        "voters fall behind while leaders leave": {
            ...{ kind: "peers-lag", region: 3, seconds: 40, ...after("begin-eviction", 1) },
        },
        "evictions are stuck": { kind: "evictions-stuck", seconds: 60, ...after("begin-eviction", 0) },
    };
    for (const [name, fault] of Object.entries(faults)) {
        for (const [size, options] of Object.entries({ few: zones, many })) {
            it(`${name}: no region loses its majority, and the batch ends well (${size} regions)`, async () => {
                const { simulation, stack, world, result } = await upgrade(options, [{ ...fault }]);
                assertNoViolation(world);
                if (result.ending === "failed") {
                    await pass(simulation, 90_000);
                }
                const last = result.ending === "done" ? result : await up(simulation, stack, upgraded);
                await assertReached(simulation, stack, upgraded, last);
            });
        }
    }

    it("regions that lack a voter from the start lose no other one, whichever they are", async () => {
        for (let region = 0; region < 30; region += 3) {
            for (const options of [zones, many]) {
                const lost: Fault = { kind: "peer-lost", region, at: 0, seconds: 120 };
                const { simulation, stack, world, result } = await upgrade(options, [lost]);
                assertNoViolation(world);
                await assertReached(simulation, stack, upgraded, result);
            }
        }
    });

    it("a store that never comes back ends the batch: the other one comes back, leaders return, and no next batch begins", async () => {
        const lost: Fault = {
            ...{ kind: "node-down", component: "tikv", ordinal: 5, seconds: 900 },
            ...{ ...after("delete-pod", firstTikv), at: 1_000 },
        };
        const { world, result, since, restarts } = await upgrade(many, [lost]);
        isFailure(result.error, "pod-available", { target: "basic-tikv-5" });
        assertNoViolation(world);
        assert.equal(actionsOf(world, "begin-batch", since).length, 1);
        assert.deepEqual(restarts.sort(), ["basic-tikv-2", "basic-tikv-5"]);
        assert.deepEqual([...world.pd.evictions.keys()].length <= 1, true, "only the lost one is still under eviction");
    });

    it("a store of another zone that never comes back ends it: leaders return to those that have not restarted", async () => {
        const lost: Fault = {
            ...{ kind: "node-down", component: "tikv", ordinal: 1, seconds: 900, ...after("begin-eviction", 1) },
        };
        // Nobody can know of the loss before the other stores have reported without it.
        const slow: Fault = { kind: "evictions-stuck", seconds: 60, ...after("begin-eviction", 0) };
        const { world, result, since, restarts } = await upgrade(many, [lost, slow]);
        assert.equal(result.ending, "failed");
        assertNoViolation(world);
        assert.equal(actionsOf(world, "begin-batch", since).length, 1);
        assert.deepEqual(restarts, []);
        assert.deepEqual([...world.pd.evictions.keys()], []);
    });
});

const endings: Record<string, Ending> = {
    "killed before it": { when: "before", how: "kill" },
    "killed right after it": { when: "after", how: "kill" },
    "asked to stop": { when: "after", how: "stop" },
    "done but not answered": { when: "after", how: "refuse" },
    "suspended for 30 s right after it": { when: "after", how: "suspend", seconds: 30 },
};
/** What the next run is asked for. */
const nextGoals: ((goal: Goal) => Goal)[] = [
    (goal) => goal,
    () => start,
    (goal) => ({ ...goal, revision: "r3" }),
    (goal) => ({ ...goal, policy: shortTimeouts }),
    (goal) => ({ ...goal, tikv: 5 }),
];

describe("the next run goes on with the batch of a run that ended at any of its changes", function () {
    this.timeout(400_000);
    const options = { ...many, ...distant, regions: 18 };
    const goal: Goal = { ...upgraded, pd: 1 };
    const origin = deployed({ ...start, pd: 1 }, options);
    const nextRuns = new NextRuns();
    for (const [index, [name, ending]] of Object.entries(endings).entries()) {
        it(name, async () => {
            let resumed = 0;
            for await (const left of endedAtEachChange(await origin, goal, ending, 21)) {
                const { world } = left.simulation;
                assertNoViolation(world);
                await pass(left.simulation, 3_000);
                const next = { ...nextGoals[(left.change + index) % nextGoals.length](goal), pd: 1 };
                resumed += recordsTextOf(world).includes('"batch"') ? 1 : 0;
                await nextRuns.reach(left, next);
            }
            if (ending.how === "kill") {
                assert.ok(resumed > 5, `${resumed} batches were on record`);
            }
        });
    }
});

describe("a batch of a killed run, one of whose stores the next program does not want", function () {
    this.timeout(120_000);

    it("holds up neither the scale-in nor the rollout, where the list of regions proves batches", async () => {
        const goal: Goal = { pd: 1, tikv: 6, revision: "r2", policy: { ...shortTimeouts, parallelism: 2 } };
        const origin = await deployed({ ...goal, revision: "r1" }, { ...distant, regions: 12 });
        let resumed = 0;
        for await (const left of endedAtEachChange(origin, goal, { when: "after", how: "kill" }, 12)) {
            const records = recordsTextOf(left.simulation.world);
            if (left.change < 12 && records.includes('"batch"')) {
                resumed += 1;
                await pass(left.simulation, 30_000);
                const next = { ...goal, tikv: 5 };
                await assertReached(left.simulation, left.stack, next, await up(left.simulation, left.stack, next));
            }
        }
        assert.ok(resumed > 3, `${resumed} batches were on record`);
    });
});
