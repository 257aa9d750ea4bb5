import * as assert from "node:assert/strict";
import { assertNoViolation, assertReached, deployed, shortTimeouts } from "../support/simulation/clusters";
import { distant } from "../support/simulation/createWorld";
import { copyOf, endedAtEachChange, type Ending, NextRuns } from "../support/simulation/endings";
import { type Goal, up } from "../support/simulation/operate";
import { recordsOf } from "../support/simulation/rules";
import { rollOf } from "../support/simulation/rolls";
import { pass } from "../support/simulation/simulation";

/** Each region stands for 60, so the stores have enough leaders for the eviction window. */
const large = { weight: 60 };
const start: Goal = { pd: 1, tikv: 3, revision: "r1", policy: shortTimeouts };
const upgraded: Goal = { ...start, revision: "r2" };

const endings: Record<string, Ending> = {
    "killed right after it": { when: "after", how: "kill" },
    "asked to stop": { when: "after", how: "stop" },
    "done but not answered": { when: "after", how: "refuse" },
};

describe("PD's limits of moving leaders are what they were", function () {
    this.timeout(240_000);
    const origin = deployed(start, { ...large, ...distant });
    const nextRuns = new NextRuns();

    for (const [ending, interruption] of Object.entries(endings)) {
        it(`once an upgrade ended at any of its changes, ${ending}, and another run came`, async () => {
            let raised = 0;
            for await (const left of endedAtEachChange(await origin, upgraded, interruption, 21)) {
                const { change, result, simulation } = left;
                const { world } = simulation;
                assertNoViolation(world);
                raised += world.pd.limits.schedule > 4 ? 1 : 0;
                if (result.ending !== "killed") {
                    assert.equal(world.pd.limits.schedule, 4, `a run that ends puts it back: change ${change}`);
                    assert.equal(recordsOf(world.clusters.ours).raisedLimits, undefined);
                }
                await pass(simulation, 3_000);
                // The next run has the same program, or nothing of the upgrade.
                await nextRuns.reach(left, change % 2 === 0 ? upgraded : start);
            }
            assert.equal(raised > 0, interruption.how === "kill", "a killed run cannot put it back");
        });
    }

    it("as somebody set them while they were raised", async () => {
        const { simulation, stack } = copyOf(await origin);
        const { world } = simulation;
        world.faults = [
            { kind: "limit-set", at: 100, seconds: 1, ordinal: 3, after: { action: "begin-eviction", nth: 0 } },
        ];
        await assertReached(simulation, stack, upgraded, await up(simulation, stack, upgraded));
        assert.equal(world.pd.limits.schedule, 16);
    });
});

describe("with the eviction window", function () {
    this.timeout(120_000);

    /** How long leaders leave and return in an upgrade, in seconds of the model's time. */
    async function moving(evictionWindow: NonNullable<Goal["policy"]>["evictionWindow"]): Promise<number> {
        const policy = {
            ...shortTimeouts,
            evictLeaderTimeoutSeconds: 3_600,
            leadersBackTimeoutSeconds: 3_600,
            evictionWindow,
        };
        return (await rollOf({ ...start, policy }, { regions: 1_500 })).moving;
    }

    it("leaders leave and return in at most 0.3 of the time, where PD moves 7 times as many", async () => {
        const [raised, without] = [await moving({}), await moving(false)];
        assert.ok(raised <= without * 0.3, `${raised} s with it, ${without} s without`);
    });
});
