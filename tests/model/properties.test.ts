import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { faults, run, sizes, worldOptions } from "../support/simulation/arbitraries";
import { playStory } from "../support/simulation/story";

/**
 * Checks the promises of docs/safety.md over random clusters, faults, rivals and interruptions. `FC_RUNS` sets the number of
 * runs and `FC_SEED` repeats an earlier sequence; with `FC_RUNS=1`, `FC_PATH` runs a single story. The seed differs each
 * time. A failure reports seed and path.
 */
const runs = Number(process.env.FC_RUNS ?? 40);
/** A story takes one second, beside other tests several. One that takes this long hangs, and is reported with its seed and path. */
const secondsPerStory = 30;
const seed = process.env.FC_SEED === undefined ? undefined : Number(process.env.FC_SEED);

describe("over random clusters, faults, rivals and interruptions", function () {
    this.timeout(runs * secondsPerStory * 1000);

    it("no promise is broken, and once the faults are gone the last run reaches its goal", async () => {
        let reached = 0;
        const story = fc.record({
            options: worldOptions,
            start: sizes,
            between: fc.array(run, { minLength: 1, maxLength: 3 }),
            faults,
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
            {
                numRuns: runs,
                timeout: secondsPerStory * 1000,
                seed,
                path: process.env.FC_PATH,
                endOnFailure: process.env.FC_SHRINK === undefined,
            },
        );
        assert.ok(reached >= runs);
    });
});
