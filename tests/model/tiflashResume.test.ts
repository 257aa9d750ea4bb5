import * as assert from "node:assert/strict";
import { assertNoViolation, assertReached, assertTidy, deployed, shortTimeouts } from "../support/simulation/clusters";
import { type Goal, type Interruption, up } from "../support/simulation/operate";
import { createSimulation, pass } from "../support/simulation/simulation";

const start: Goal = { pd: 1, tiflash: 2, tikv: 3, tidb: 1, revision: "r1", policy: shortTimeouts };

describe("the next run continues a run on TiFlash that ended at any of its changes", function () {
    this.timeout(120_000);
    const changes: Record<string, Goal> = {
        "TiFlash 2 to 1": { ...start, tiflash: 1 },
        "TiFlash 2 to 1 and an upgrade": { ...start, tiflash: 1, revision: "r2" },
    };
    const nextGoals: ((change: Goal) => Goal)[] = [(change) => change, () => start];
    const endings: Omit<Interruption, "change">[] = [
        { when: "before", how: "kill" },
        { when: "after", how: "kill" },
        { when: "after", how: "stop" },
    ];
    for (const [name, change] of Object.entries(changes)) {
        for (const { when, how } of endings) {
            it(`${name}, ${how} ${when}`, async () => {
                for (let k = 0; ; k++) {
                    const { simulation, stack } = await deployed(start);
                    simulation.world.tiflashReplicas = 1;
                    const result = await up(simulation, stack, change, { when, how, change: k });
                    if (result.ending === "done" && result.changes <= k) {
                        assert.ok(k > 2, `${k} changes`);
                        break;
                    }
                    if (result.ending === "failed") {
                        assertTidy(simulation, result);
                    }
                    assertNoViolation(simulation.world);
                    await pass(simulation, 3_000);
                    const goal = nextGoals[k % nextGoals.length](change);
                    await assertReached(simulation, stack, goal, await up(simulation, stack, goal));
                }
            });
        }
    }

    it("a first deployment that failed for TiKV: the next run does not wait for TiFlash, which waits for TiKV", async () => {
        const simulation = createSimulation();
        const { world } = simulation;
        const stack = {};
        world.clusters.ours.badRevisions.add("tikv r1");
        for (const attempt of ["the first", "the second"]) {
            const result = await up(simulation, stack, start);
            assert.equal(result.ending, "failed", attempt);
            assert.match(result.error?.message ?? "", /basic-tikv.*no TiKV store is Up/, attempt);
        }
        world.clusters.ours.badRevisions.clear();
        await assertReached(simulation, stack, start, await up(simulation, stack, start));
    });
});
