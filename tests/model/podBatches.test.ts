import * as assert from "node:assert/strict";
import { stepMilliseconds } from "../support/simulation/advance";
import { assertNoViolation, assertReached, deployed, shortTimeouts } from "../support/simulation/clusters";
import { distant } from "../support/simulation/createWorld";
import type { Fault } from "../support/simulation/fault";
import { copyOf, endedAtEachChange, type Ending, NextRuns } from "../support/simulation/endings";
import { type Goal, up } from "../support/simulation/operate";
import { pass } from "../support/simulation/simulation";
import type { World } from "../support/simulation/world";

/** Five members of PD, of which two may be down, and five TiDB, of which the program lets two be down. */
const sideBySide = { ...shortTimeouts, parallelism: 9, maxUnavailable: 2 } as const;
const start: Goal = { pd: 5, tikv: 3, tidb: 5, revision: "r1", policy: sideBySide };
const upgraded: Goal = { ...start, revision: "r2" };

const actionsOf = ({ log }: World, name: string, since: number): string[] =>
    log.slice(since).filter((line) => line.includes(`{"do":"${name}"`));
const secondsOf = (line: string): number => Number(line.split(" ")[0]);
const origin = deployed(start, { regions: 6 });

const copy = async () => copyOf(await origin);

async function upgrade(goal = upgraded, faults: Fault[] = []) {
    const { simulation, stack } = await copy();
    const { world } = simulation;
    world.faults = faults.map((fault) => ({ ...fault }));
    const since = world.log.length;
    const result = await up(simulation, stack, goal);
    const restarts = actionsOf(world, "delete-pod", since);
    /** How long a member's restarts took, from the first to the last one. */
    const took = (component: string) => {
        const times = restarts.filter((line) => line.includes(`basic-${component}-`)).map(secondsOf);
        return Math.max(...times) - Math.min(...times);
    };
    return { simulation, stack, world, result, since, restarts, took };
}

describe("an upgrade of PD and TiDB side by side", function () {
    this.timeout(240_000);

    it("moves PD's leadership once, and takes less time than one by one", async () => {
        const done = await upgrade();
        await assertReached(done.simulation, done.stack, upgraded, done.result);
        assert.equal(actionsOf(done.world, "transfer-leader", done.since).length, 1);
        const batches = actionsOf(done.world, "begin-batch", done.since).map((line) =>
            (line.match(/basic-\w+-\d/g) ?? []).slice(0, 2).join(" "),
        );
        assert.deepEqual(
            batches.filter((pods) => pods.includes("tidb")),
            ["basic-tidb-3 basic-tidb-2", "basic-tidb-1 basic-tidb-0"],
        );
        assert.equal(batches.filter((pods) => pods.includes("-pd-")).length, 1);
        const serial = await upgrade({ ...upgraded, policy: shortTimeouts });
        assert.deepEqual(actionsOf(serial.world, "begin-batch", serial.since), []);
        // Two waits instead of four. The end of a wait is seen up to one step of the world later, which is chance.
        const half = 0.5 * serial.took("tidb") + (2 * stepMilliseconds) / 1000;
        assert.ok(done.took("tidb") <= half, `${done.took("tidb")} s, ${serial.took("tidb")} s`);
        assert.ok(done.took("pd") < serial.took("pd"), `${done.took("pd")} s, ${serial.took("pd")} s`);
    });

    it("of a version that does not start takes one pod down", async () => {
        const { simulation, stack } = await copy();
        const { world } = simulation;
        world.clusters.ours.badRevisions.add("tidb bad");
        const since = world.log.length;
        const result = await up(simulation, stack, { ...upgraded, revision: "bad" });
        assert.equal(result.ending, "failed");
        assertNoViolation(world);
        const stopped = actionsOf(world, "delete-pod", since).filter((line) => line.includes("tidb"));
        assert.equal(stopped.length, 1, stopped.join("\n"));
    });

    const after = (nth: number) => ({ after: { action: "delete-pod" as const, nth }, at: 100 });
    /** The first pod of a batch is the second one that restarts: of PD, and of TiDB after five PD and three TiKV. */
    const faults: Record<string, Fault> = {
        "another member of PD crashes": { kind: "crash", component: "pd", ordinal: 1, seconds: 30, ...after(1) },
        "the leader of PD crashes": { kind: "crash", component: "pd", ordinal: 0, seconds: 30, ...after(1) },
        "PD's leadership moves": { kind: "pd-leader-moves", seconds: 1, ...after(1) },
        "a member of the batch is lost with its node": {
            ...{ kind: "node-down", component: "pd", ordinal: 2, seconds: 60 },
            ...after(1),
        },
        "another TiDB crashes": { kind: "crash", component: "tidb", ordinal: 0, seconds: 30, ...after(9) },
        "another TiDB is lost with its node": {
            ...{ kind: "node-down", component: "tidb", ordinal: 1, seconds: 60 },
            ...after(9),
        },
        "a TiDB of the batch crashes": { kind: "crash", component: "tidb", ordinal: 2, seconds: 30, ...after(9) },
    };
    for (const [name, fault] of Object.entries(faults)) {
        it(`${name} after the first restart of a batch: it ends well`, async () => {
            const { simulation, stack, world, result } = await upgrade(upgraded, [fault]);
            assertNoViolation(world);
            assert.ok(
                world.log.some((line) => line.includes("fault")),
                "the fault has struck",
            );
            if (result.ending === "failed") {
                await pass(simulation, 90_000);
            }
            const last = result.ending === "done" ? result : await up(simulation, stack, upgraded);
            await assertReached(simulation, stack, upgraded, last);
        });
    }
});

const endings: Record<string, Ending> = {
    "killed right after it": { when: "after", how: "kill" },
    "asked to stop": { when: "after", how: "stop" },
    "done but not answered": { when: "after", how: "refuse" },
};
/** What the next run is asked for. */
const nextGoals: ((goal: Goal) => Goal)[] = [
    (goal) => goal,
    () => start,
    (goal) => ({ ...goal, revision: "r3" }),
    (goal) => ({ ...goal, policy: shortTimeouts }),
    (goal) => ({ ...goal, pd: 3, tidb: 2 }),
];

describe("the next run goes on with the batch of PD or TiDB of a run that ended at any of its changes", function () {
    this.timeout(400_000);
    const recordsOf = ({ clusters }: World): string =>
        clusters.ours.lease.metadata?.annotations?.["pulumi-tidb.io/records"] ?? "";

    it("unless the member has left the program: then its record goes", async () => {
        const tidbAlone: Goal = { ...start, pd: 1, policy: { ...shortTimeouts, maxUnavailable: 2 } };
        const { simulation, stack } = await deployed(tidbAlone, { regions: 3 });
        const { world } = simulation;
        const batchBegins = { after: { action: "begin-batch", nth: 0 }, at: 100, seconds: 600 } as const;
        world.faults = [{ kind: "node-down", component: "tidb", ordinal: 3, ...batchBegins }];
        const failed = await up(simulation, stack, { ...tidbAlone, revision: "r2" });
        assert.equal(failed.ending, "failed");
        assert.match(recordsOf(world), /"batch":\{"component":"tidb"/);
        await pass(simulation, 600_000);
        const left = await up(simulation, stack, { ...tidbAlone, revision: "r2", tidb: undefined });
        assert.equal(left.ending, "done", left.error?.message);
        assert.doesNotMatch(recordsOf(world), /"batch"/);
    });

    const nextRuns = new NextRuns();
    const far = deployed(start, { ...distant, regions: 6 });
    for (const [index, [name, ending]] of Object.entries(endings).entries()) {
        it(name, async () => {
            let resumed = 0;
            const every = ending.how === "kill" ? 1 : 4;
            for await (const left of endedAtEachChange(await far, upgraded, ending, 31, every)) {
                const { world } = left.simulation;
                assertNoViolation(world);
                await pass(left.simulation, 3_000);
                resumed += recordsOf(world).includes('"batch"') ? 1 : 0;
                await nextRuns.reach(left, nextGoals[(left.change + index) % nextGoals.length](upgraded));
            }
            if (ending.how === "kill") {
                assert.ok(resumed > 5, `${resumed} batches were on record`);
            }
        });
    }
});
