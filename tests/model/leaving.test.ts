import * as assert from "node:assert/strict";
import {
    assertNothingLeft,
    assertNoViolation,
    assertReached,
    deployed,
    shortTimeouts,
} from "../support/simulation/clusters";
import { destroy, type Goal, up } from "../support/simulation/operate";
import { copySimulation, pass } from "../support/simulation/simulation";

const start: Goal = { pd: 1, tiflash: 2, tikv: 3, tidb: 1, revision: "r1", policy: shortTimeouts };
const without: Goal = { ...start, tiflash: undefined };
const origin = deployed(start, { regions: 12 });

async function copyOfOrigin() {
    const { simulation, stack } = await origin;
    return { simulation: copySimulation(simulation), stack: structuredClone(stack) };
}

describe("a member that leaves the program", function () {
    this.timeout(120_000);

    for (const when of ["before", "after"] as const) {
        it(`TiFlash, with the run killed at any of its changes, ${when} it: its stores leave PD before its pods stop`, async () => {
            for (let k = 0; ; k++) {
                const { simulation, stack } = await copyOfOrigin();
                const result = await up(simulation, stack, without, { change: k, when, how: "kill" });
                if (result.ending === "done") {
                    assert.ok(k > 5, `${k} changes`);
                    return;
                }
                assertNoViolation(simulation.world);
                await pass(simulation, 3_000);
                await assertReached(simulation, stack, without, await up(simulation, stack, without));
            }
        });
    }

    it("TiFlash that tables still have replicas on: refused, and nothing is done", async () => {
        const { simulation, stack } = await copyOfOrigin();
        simulation.world.tiflashReplicas = 1;
        const { ending, error, actions } = await up(simulation, stack, without);
        assert.deepEqual([ending, actions], ["failed", 0]);
        assert.match(error?.message ?? "", /refused: .*spec\.tiflash/);
    });

    for (const [member, goal] of [
        ["TiKV", { pd: 1, tiflash: 2, tidb: 1, revision: "r1", policy: shortTimeouts }],
        ["PD", { tiflash: 2, tikv: 3, tidb: 1, revision: "r1", policy: shortTimeouts }],
    ] as [string, Goal][]) {
        it(`${member} is refused, and nothing is done`, async () => {
            const { simulation, stack } = await copyOfOrigin();
            const { ending, error, actions } = await up(simulation, stack, goal);
            assert.deepEqual([ending, actions], ["failed", 0]);
            assert.match(error?.message ?? "", new RegExp(`refused: .*spec\\.${member.toLowerCase()}: found none`));
            assertNoViolation(simulation.world);
        });
    }
});

describe("a destroy after a roll that was killed", function () {
    this.timeout(120_000);

    it("at any of its changes: no eviction is left in PD, and no record", async () => {
        for (let k = 0; ; k += 2) {
            const { simulation, stack } = await copyOfOrigin();
            const roll = await up(
                simulation,
                stack,
                { ...start, revision: "r2" },
                { change: k, when: "after", how: "kill" },
            );
            if (roll.ending === "done") {
                assert.ok(k > 10, `${k} changes`);
                return;
            }
            await pass(simulation, 3_000);
            const { ending, error } = await destroy(simulation, stack);
            assert.equal(ending, "done", error?.message);
            assertNoViolation(simulation.world);
            assertNothingLeft(simulation.world);
        }
    });
});
