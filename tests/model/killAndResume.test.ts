import * as assert from "node:assert/strict";
import {
    assertEvictionsEnded,
    assertNoViolation,
    assertTidy,
    deployed,
    shortTimeouts,
} from "../support/simulation/clusters";
import { endedAtEachChange, type Ending, NextRuns } from "../support/simulation/endings";
import { type Goal, up } from "../support/simulation/operate";
import { pass, type Simulation } from "../support/simulation/simulation";

const start: Goal = { pd: 3, tikv: 4, tidb: 1, revision: "r1", policy: shortTimeouts };
/** What the next run is asked for: the same, nothing of it, another revision, fewer stores. */
const nextGoals: ((change: Goal) => Goal)[] = [
    (change) => change,
    () => start,
    (change) => ({ ...change, revision: "r3" }),
    (change) => ({ ...change, tikv: 3 }),
];
const changes: Record<string, Goal> = {
    "TiKV 4 to 3": { ...start, tikv: 3 },
    "TiKV 4 to 3 and an upgrade": { ...start, tikv: 3, revision: "r2" },
    "TiKV 4 to 5, where a fifth was before": { ...start, tikv: 5 },
    "PD 3 to 1": { ...start, pd: 1 },
    // Its pod runs on when the scale-in is reverted, so its volume is no longer one that was released.
    "TiDB 1 to none": { ...start, tidb: 0 },
    "an upgrade with a deadline": {
        ...start,
        revision: "r2",
        policy: { ...shortTimeouts, evictLeaderTimeoutSeconds: 1, afterEvictLeaderTimeout: "restart" },
    },
};

/** How a run ends at one of its changes, and how long it takes until the next run. */
const endings: { name: string; interruption: Ending; pause: number }[] = [
    { name: "killed before it", interruption: { when: "before", how: "kill" }, pause: 3_000 },
    { name: "killed right after it", interruption: { when: "after", how: "kill" }, pause: 3_000 },
    { name: "killed before it, a day ago", interruption: { when: "before", how: "kill" }, pause: 86_400_000 },
    { name: "refused", interruption: { when: "before", how: "refuse" }, pause: 0 },
    { name: "done but not answered", interruption: { when: "after", how: "refuse" }, pause: 0 },
    { name: "asked to stop", interruption: { when: "after", how: "stop" }, pause: 0 },
    { name: "suspended for 30 s before it", interruption: { when: "before", how: "suspend", seconds: 30 }, pause: 0 },
    {
        name: "suspended for 30 s right after it",
        interruption: { when: "after", how: "suspend", seconds: 30 },
        pause: 0,
    },
    {
        name: "on a machine that sleeps for 30 s before it",
        interruption: { when: "before", how: "suspend", seconds: 30, asleep: true },
        pause: 0,
    },
];

/** Whether it is part of `npm test`. Others are marked. */
const isQuick = (name: string, { how }: Ending) =>
    how === "kill" && !name.includes(", where a fifth") && !name.includes("deadline");

/** A cluster that once had a fifth store, whose volume still exists. */
const origin = deployed({ ...start, tikv: 5 }).then(async (cluster) => {
    assert.equal((await up(cluster.simulation, cluster.stack, start)).ending, "done");
    assertNoViolation(cluster.simulation.world);
    return cluster;
});

describe("the next run continues a run that ended at any of its changes", function () {
    this.timeout(240_000);
    const nextRuns = new NextRuns();
    for (const [name, change] of Object.entries(changes)) {
        for (const [index, { name: ending, interruption, pause }] of endings.entries()) {
            if (name === "an upgrade with a deadline" && interruption.how !== "kill") {
                continue;
            }
            it(`${name}, ${ending}${isQuick(name, interruption) ? "" : " @thorough"}`, async () => {
                for await (const left of endedAtEachChange(await origin, change, interruption, 3)) {
                    const { simulation, result } = left;
                    if (result.ending === "failed") {
                        assertTidy(simulation, result);
                        assertEvictionsEnded(simulation.world);
                    }
                    assertNoViolation(simulation.world);
                    await leap(simulation, pause);
                    // Every goal follows every kind of ending, at each change in turn.
                    await nextRuns.reach(left, nextGoals[(left.change + index) % nextGoals.length](change));
                }
            });
        }
    }
});

/** Lets time pass. For a long time only the end is simulated, because nothing happens before it. */
async function leap(simulation: Simulation, milliseconds: number): Promise<void> {
    const { world } = simulation;
    await pass(simulation, Math.min(milliseconds, 10_000));
    if (milliseconds > 10_000) {
        const by = milliseconds - 10_000;
        world.now += by;
        world.pd.leadership?.stores.forEach((at, id, stores) => stores.set(id, at + by));
        await pass(simulation, world.heartbeats.region);
    }
}
