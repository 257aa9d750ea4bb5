import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { fault, run, sizes, worldOptions } from "../support/simulation/arbitraries";
import { playStory } from "../support/simulation/story";

/**
 * The promises of docs/safety.md over random clusters, faults, rivals and interruptions. `FC_RUNS` asks for more, `FC_SEED` for
 * the same again; with `FC_RUNS=1`, `FC_PATH` asks for one story alone. The seed is another one each time. A failure says both.
 */
const runs = Number(process.env.FC_RUNS ?? 40);
const seed = process.env.FC_SEED === undefined ? undefined : Number(process.env.FC_SEED);

describe("over random clusters, faults, rivals and interruptions", function () {
    this.timeout(3_600_000);

    it("no promise is broken, and with the faults healed the last run reaches what was asked for", async () => {
        let reached = 0;
        const story = fc.record({
            options: worldOptions,
            start: sizes,
            between: fc.array(run, { minLength: 1, maxLength: 3 }),
            faults: fc.array(fault, { maxLength: 6 }),
            last: run,
            hasTiflash: fc.boolean(),
            hasTheirs: fc.boolean(),
            ending: fc.constantFrom("up", "up", "up", "up", "destroy" as const),
        });
        await fc.assert(
            fc.asyncProperty(story, async (one) => {
                await playStory(one);
                reached += 1;
            }),
            { numRuns: runs, seed, path: process.env.FC_PATH, endOnFailure: process.env.FC_SHRINK === undefined },
        );
        assert.ok(reached >= runs);
    });
});
