import * as assert from "node:assert/strict";
import { assertReached, deployed, shortTimeouts } from "../support/simulation/clusters";
import type { Fault } from "../support/simulation/fault";
import { type Goal, up } from "../support/simulation/operate";
import { isFailure } from "../support/failsWith";

const start: Goal = { pd: 3, tiflash: 1, tikv: 3, tidb: 1, revision: "r1", policy: shortTimeouts };
const faithful = { region: 60_000, store: 10_000 };

describe("a new PD leader that has not received reports for all regions yet", function () {
    this.timeout(120_000);

    for (const reconnects of ["R", "T"] as const) {
        for (const heartbeats of [faithful, { region: 12_000, store: 3_000 }]) {
            const how = `stores of kind ${reconnects} that report each region every ${heartbeats.region / 1000} s`;
            it(`${how}: an upgrade of PD and TiKV restarts no store with its leaders`, async () => {
                const { simulation, stack } = await deployed(start, { reconnects, heartbeats, weight: 100 });
                const goal = { ...start, revision: "r2" };
                await assertReached(simulation, stack, goal, await up(simulation, stack, goal));
            });
        }
    }

    it("the leader changes repeatedly during a TiKV roll-out: evictions are kept, and ended eventually", async () => {
        const { simulation, stack } = await deployed(start, { weight: 100 });
        const moves = Array.from({ length: 8 }, (_, index): Fault => ({
            at: simulation.world.now + 9_000 + index * 31_000,
            seconds: 1,
            kind: "pd-leader-moves",
        }));
        simulation.world.faults = moves;
        const goal = { ...start, revision: "r2" };
        await assertReached(simulation, stack, goal, await up(simulation, stack, goal));
    });

    it("TiKV's status port does not answer: PD's counts alone restart nothing", async () => {
        const { simulation, stack } = await deployed(start, { weight: 100 });
        const { world } = simulation;
        world.faults = [0, 1, 2].map((ordinal): Fault => ({
            at: world.now,
            seconds: 100_000,
            kind: "gauge-gone",
            ordinal,
        }));
        const result = await up(simulation, stack, { ...start, revision: "r2" });
        isFailure(result.error, "leaders-evicted", { target: "basic-tikv-2" });
        assert.deepEqual(world.violations, []);
    });
});
