import * as assert from "node:assert/strict";
import {
    assertNoViolation,
    assertReached,
    deployed,
    shortTimeouts,
    upAfterHealing,
} from "../support/simulation/clusters";
import { type Goal, up } from "../support/simulation/operate";
import { copySimulation } from "../support/simulation/simulation";
import type { ListFault } from "../support/simulation/fault";

const start: Goal = {
    pd: 1,
    tikv: 4,
    tidb: 1,
    revision: "r1",
    policy: { ...shortTimeouts, podReadyTimeoutSeconds: 40 },
};
const changes: Record<string, Goal> = {
    "an upgrade": { ...start, revision: "r2" },
    "a scale-in": { ...start, tikv: 3 },
};
const lists: ListFault["kind"][] = ["empty", "partial", "stale", "not-bootstrapped", "doubled", "elsewhere"];
const origin = deployed(start, { regions: 16 });

describe("PD's list of stores is wrong", function () {
    this.timeout(120_000);
    for (const [name, goal] of Object.entries(changes)) {
        for (const kind of lists) {
            it(`${name} while the list is ${kind}: nothing is restarted, removed or released because of it`, async () => {
                for (const store of [0, 3]) {
                    const from = await origin;
                    const [simulation, stack] = [copySimulation(from.simulation), structuredClone(from.stack)];
                    const { world } = simulation;
                    world.pd.list = { kind, until: world.now + 3_600_000, store: world.stores[store].id };
                    const result = await up(simulation, stack, goal);
                    assertNoViolation(world);
                    assert.equal(result.ending, "failed", kind === "stale" ? "stale lists look well" : undefined);
                    await assertReached(simulation, stack, goal, await upAfterHealing(simulation, stack, goal));
                }
            });
        }
    }
});
