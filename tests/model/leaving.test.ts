import * as assert from "node:assert/strict";
import { assertNothingLeft, assertNoViolation, deployed, shortTimeouts } from "../support/simulation/clusters";
import { distant } from "../support/simulation/createWorld";
import { copyOf, endedAtEachChange, NextRuns } from "../support/simulation/endings";
import { destroy, type Goal, up } from "../support/simulation/operate";
import { pass } from "../support/simulation/simulation";

const start: Goal = { pd: 1, tiflash: 2, tikv: 3, tidb: 1, revision: "r1", policy: shortTimeouts };
const without: Goal = { ...start, tiflash: undefined };
const origin = deployed(start, { ...distant, regions: 12 });

const copyOfOrigin = async () => copyOf(await origin);

describe("a member that leaves the program", function () {
    this.timeout(120_000);
    const nextRuns = new NextRuns();

    for (const when of ["before", "after"] as const) {
        it(`TiFlash, with the run killed at any of its changes, ${when} it: its stores leave PD before its pods stop`, async () => {
            for await (const left of endedAtEachChange(await origin, without, { when, how: "kill" }, 6)) {
                assertNoViolation(left.simulation.world);
                await pass(left.simulation, 3_000);
                await nextRuns.reach(left, without);
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
        const upgraded: Goal = { ...start, revision: "r2" };
        for await (const left of endedAtEachChange(await origin, upgraded, { when: "after", how: "kill" }, 11)) {
            const { simulation, stack } = left;
            await pass(simulation, 3_000);
            const { ending, error } = await destroy(simulation, stack);
            assert.equal(ending, "done", error?.message);
            assertNoViolation(simulation.world);
            assertNothingLeft(simulation.world);
        }
    });
});
