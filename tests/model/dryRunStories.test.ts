import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { compare, dryRunStories } from "../support/simulation/dryRunStory";

/** A preview after an update that was killed and after faults that last. Where the update is not foreseen to its end, nothing is claimed. */
describe("a preview after a kill and faults", function () {
    this.timeout(120_000);

    it("refuses no update that would be done, and foresees the end of one that nothing holds", async () => {
        await fc.assert(
            fc.asyncProperty(dryRunStories, async (story) => {
                const { foreseen, isRefused, failed, log } = await compare(story);
                if (isRefused) {
                    assert.ok(failed !== undefined, `${foreseen}\n${log.join("\n")}`);
                }
                if (foreseen === undefined && story.faults.length === 0) {
                    assert.equal(failed, undefined, log.join("\n"));
                }
            }),
            { numRuns: Number(process.env.STORIES ?? 4), seed: Number(process.env.SEED ?? 1), endOnFailure: true },
        );
    });
});
