import * as assert from "node:assert/strict";
import { waitBeforeLook } from "../../../controller/backOff";

const pace = { every: 10_000, longest: 300_000 };
const waits = (failures: number, random = 0.5): number => waitBeforeLook(pace, failures, random);

describe("how long a controller waits before it looks at a cluster again", () => {
    it("is the interval after a look that succeeded", () => {
        assert.equal(waits(0), 10_000);
    });

    it("doubles with each failure, up to 5 minutes", () => {
        assert.deepEqual(
            [1, 2, 3, 4, 5, 6, 60].map((failures) => waits(failures)),
            [20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000],
        );
    });

    it("varies by a tenth, so clusters that failed together are not asked together again", () => {
        assert.deepEqual([waits(0, 0), waits(0, 1)], [9_000, 11_000]);
    });

    it("is never shorter than the interval because of a failure", () => {
        assert.equal(waitBeforeLook({ every: 600_000, longest: 300_000 }, 3, 0.5), 600_000);
    });
});
