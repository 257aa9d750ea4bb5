import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { inspect } from "node:util";
import { compare, dryRunStories, isSideBySide } from "../support/simulation/dryRunStory";
import { difference, inNames, notForeseen } from "../support/simulation/foreseenStop";

/**
 * A preview at a random point of a random story, and then its update, while nothing else happens. `FC_RUNS` sets the number of stories, and
 * `FC_SEED` plays others; with `FC_RUNS=1`, `FC_PATH` plays a single one. `FC_SHRINK` makes a story that fails smaller.
 */
const runs = Number(process.env.FC_RUNS ?? 40);
const seed = Number(process.env.FC_SEED ?? 1);
/** A story takes one second, next to other tests several. */
const secondsPerStory = 30;

describe("a preview at a random point of a random story", function () {
    this.timeout(runs * secondsPerStory * 1_000);

    it("foresees the actions of the update, in their order, and where it stops", async () => {
        let [whole, stops] = [0, 0];
        await fc.assert(
            fc.asyncProperty(dryRunStories, async (story) => {
                const { foreseen, update, log } = await compare(story);
                const found = difference(foreseen, update, isSideBySide(story.to));
                const inWords = [foreseen, update].map(({ actions, ...others }) => ({
                    ...others,
                    actions: actions.map(inNames),
                }));
                const told = () => inspect({ preview: inWords[0], update: inWords[1] }, { maxArrayLength: null });
                assert.equal(found, undefined, `${found}: ${told()}\n${log.slice(-60).join("\n")}`);
                whole += foreseen.stop === undefined ? 1 : 0;
                stops += foreseen.stop !== undefined && foreseen.stop !== notForeseen ? 1 : 0;
            }),
            { numRuns: runs, seed, path: process.env.FC_PATH, endOnFailure: process.env.FC_SHRINK === undefined },
        );
        // A preview that foresees nothing is wrong about nothing.
        assert.ok(whole + stops > runs * 0.75, `${whole} done and ${stops} stops are foreseen of ${runs} updates`);
    });
});
