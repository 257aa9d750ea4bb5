import * as assert from "node:assert/strict";
import { figureTable, isMissed, type Figure } from "../../../bench/figure";
import { median, ratio, sum } from "../../../bench/statistics";

describe("bench: statistics", () => {
    it("take the middle value, in any order", () => {
        assert.equal(median([9, 1, 5]), 5);
        assert.equal(median([4, 1, 3, 2]), 2.5);
    });

    it("compare measurements of the same round, so a slow round does not count", () => {
        assert.equal(ratio([11, 110, 12], [10, 100, 10]), 1.1);
    });

    it("have no figure for a missing measurement", () => {
        assert.throws(() => median([]), /nothing was measured/);
        assert.equal(sum([]), 0);
    });
});

describe("bench: figures", () => {
    const figure: Figure = { name: "import", measured: 1.2, unit: "ratio", target: 1.15, detail: "12 ms / 10 ms" };

    it("miss a target above it, and meet one at it", () => {
        assert.ok(isMissed(figure));
        assert.ok(!isMissed({ ...figure, measured: 1.15 }));
    });

    it("count a missing measurement as a miss", () => {
        assert.ok(isMissed({ ...figure, measured: Number.NaN }));
    });

    it("are printed in a table with measurement, target and verdict", () => {
        const table = figureTable([figure, { ...figure, name: "up", measured: 12.34, unit: "s", target: 13 }]).split(
            "\n",
        );
        assert.match(table[1], /^import +1\.20× +≤ 1\.15× +MISSED +12 ms \/ 10 ms$/);
        assert.match(table[2], /^up +12\.3 s +≤ 13\.0 s +met +12 ms/);
    });
});
