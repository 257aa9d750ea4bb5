import * as assert from "node:assert/strict";
import { columns, type Figures, rowOf } from "../../support/real/figures";

const figures: Figures = {
    operation: "a restart",
    seconds: 61.4,
    clients: {
        seconds: 62,
        acknowledged: 300,
        sums: 40,
        wrongSums: 0,
        errors: { "ER_QUERY (8027)": 2, ECONNREFUSED: 1 },
        longestGap: 1.26,
    },
    audit: { checked: 500, lost: [{ writer: 1, number: 2, source: 0, target: 1000 }], unbalanced: [] },
    stops: [
        { pod: "demo-tikv-0", uid: "a", leaders: 0, regions: 30 },
        { pod: "demo-tikv-1", uid: "b", leaders: "not known" },
    ],
};

describe("the row of an operation on real processes", () => {
    it("has a cell for each column, with all transfers so far behind those that are lost", () => {
        const row = rowOf(figures);
        assert.equal(row.length, columns.length);
        assert.deepEqual(row, [
            "a restart",
            "61",
            "300",
            "1 of 500",
            "0",
            "2 × ER_QUERY (8027), 1 × ECONNREFUSED",
            "1.3",
            "0 of 30, not known",
        ]);
    });

    it("says what was not checked, and never 0", () => {
        const row = rowOf({ ...figures, clients: undefined, audit: undefined, stops: undefined });
        assert.deepEqual(row.slice(2), [
            "no clients",
            "not checked",
            "not checked",
            "no clients",
            "no clients",
            "not checked",
        ]);
    });

    it("says that no TiKV was stopped only where that is known", () => {
        assert.equal(rowOf({ ...figures, stops: [] }).at(-1), "none stopped");
    });
});
