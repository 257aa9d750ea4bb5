import { assertNoViolation, assertReached, assertTidy, deployed, shortTimeouts } from "../support/simulation/clusters";
import { distant } from "../support/simulation/createWorld";
import { endedAtEachChange, type Ending, NextRuns } from "../support/simulation/endings";
import { type Goal, up } from "../support/simulation/operate";
import { createSimulation, pass } from "../support/simulation/simulation";
import { isFailure } from "../support/failsWith";

const start: Goal = { pd: 1, tiflash: 2, tikv: 3, tidb: 1, revision: "r1", policy: shortTimeouts };

describe("the next run continues a run on TiFlash that ended at any of its changes", function () {
    this.timeout(120_000);
    const origin = deployed(start, distant).then((cluster) => {
        cluster.simulation.world.tiflashReplicas = 1;
        return cluster;
    });
    const nextRuns = new NextRuns();
    const changes: Record<string, Goal> = {
        "TiFlash 2 to 1": { ...start, tiflash: 1 },
        "TiFlash 2 to 1 and an upgrade": { ...start, tiflash: 1, revision: "r2" },
    };
    const nextGoals: ((change: Goal) => Goal)[] = [(change) => change, () => start];
    const endings: Ending[] = [
        { when: "before", how: "kill" },
        { when: "after", how: "kill" },
        { when: "after", how: "stop" },
    ];
    for (const [name, change] of Object.entries(changes)) {
        for (const ending of endings) {
            it(`${name}, ${ending.how} ${ending.when}`, async () => {
                for await (const left of endedAtEachChange(await origin, change, ending, 3)) {
                    const { simulation, result } = left;
                    if (result.ending === "failed") {
                        assertTidy(simulation, result);
                    }
                    assertNoViolation(simulation.world);
                    await pass(simulation, 3_000);
                    await nextRuns.reach(left, nextGoals[left.change % nextGoals.length](change));
                }
            });
        }
    }

    it("a first deployment that failed for TiKV: the next run does not wait for TiFlash, which waits for TiKV", async () => {
        const simulation = createSimulation();
        const { world } = simulation;
        const stack = {};
        world.clusters.ours.badRevisions.add("tikv r1");
        for (let attempt = 0; attempt < 2; attempt++) {
            const result = await up(simulation, stack, start);
            isFailure(result.error, "available", { target: "basic-tikv-0" });
        }
        world.clusters.ours.badRevisions.clear();
        await assertReached(simulation, stack, start, await up(simulation, stack, start));
    });
});
