import * as assert from "node:assert/strict";
import {
    assertNothingLeft,
    assertNoViolation,
    assertTidy,
    deployed,
    shortTimeouts,
} from "../support/simulation/clusters";
import { copyOf } from "../support/simulation/endings";
import { type Goal, up } from "../support/simulation/operate";
import { leadersOf } from "../support/simulation/regions";
import type { Simulation } from "../support/simulation/simulation";
import { liveStores } from "../support/simulation/truth";

/** Nothing follows the last store that a rollout restarts, so the return of its leaders is not waited for. */

/** Each region stands for 10, so there are enough leaders to wait for. Of 480 regions each of four stores leads 120. */
const large = { weight: 10, regions: 480 };
const policy = { ...shortTimeouts, leadersBackTimeoutSeconds: 300, evictionWindow: false as const };
const start: Goal = { pd: 1, tikv: 4, revision: "r1", pdRevision: "r1", policy };
const upgraded: Goal = { ...start, revision: "r2" };
const next: Goal = { ...start, revision: "r3" };

describe("the leaders of the last store of a rollout", function () {
    this.timeout(120_000);
    const origin = deployed(start, large);

    it("are not waited for, and nothing is left of its eviction", async () => {
        const { simulation, stack } = copyOf(await origin);
        const result = await up(simulation, stack, upgraded);
        const fewest = fewestLeaders(simulation);
        assert.ok(fewest < 60, `the update is done once the last store leads ${fewest} regions`);
        assertTidy(simulation, result);
        assertNothingLeft(simulation.world);
    });

    it("may still be on their way when the next update begins, which restarts no store that a region cannot miss", async () => {
        const { simulation, stack } = copyOf(await origin);
        await up(simulation, stack, upgraded);
        const { ending, error } = await up(simulation, stack, next);
        assert.equal(ending, "done", error?.message);
        assertNoViolation(simulation.world);
    });
});

/** @returns how many regions the store leads that leads the fewest of those that PD does not evict. */
function fewestLeaders({ world }: Simulation): number {
    const stores = liveStores(world, "tikv").filter(({ id }) => !world.pd.evictions.has(id));
    return Math.min(...stores.map(({ id }) => leadersOf(world, id)));
}
