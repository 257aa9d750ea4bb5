import * as assert from "node:assert/strict";
import { contentOf, joined, tablesInWords } from "../../../../provider/lifecycle/unsafeRecovery/keyRanges";
import { firstKeyOf, tableOf } from "../../../../sandbox/dataPlane/model/regionKeys";

/** A key of the recording of a real PD 8.5.4 (tests/fixtures/pd-8.5.4.json). */
const recordedKey = "7480000000000000FF015F728000000000FF000003FF00000000FB";

describe("the tables in a range of keys", () => {
    it("are those of its first and its last key", () => {
        assert.deepEqual(contentOf("7480000000000000FF015F728000000000FF000000FF00000000FB", recordedKey), {
            metadata: false,
            tables: { from: 1, to: 1 },
        });
    });
    it("do not have the one that begins where the range ends", () => {
        const begins = (table: string) => `7480000000000000FF${table}00000000000000F8`;
        assert.deepEqual(contentOf(begins("40"), begins("41")).tables, { from: 64, to: 64 });
        assert.deepEqual(contentOf(begins("40"), recordedKey.replace("FF01", "FF41")).tables, { from: 64, to: 65 });
    });
    it("have ids of all 64 bits, and digits in lower case", () => {
        const range = contentOf("748000000000000fff425f728000000000ff0000010000000000fa", "75");
        assert.deepEqual(range.tables, { from: 0xf42, to: Infinity });
    });
    it("are none in metadata, and none in other keys", () => {
        assert.deepEqual(contentOf("6D44444C4A6F624C00FE", "6E00000000000000F8"), { metadata: true });
        assert.deepEqual(contentOf("7200000000000000F8", "73"), { metadata: false });
        assert.deepEqual(contentOf("75", ""), { metadata: false });
    });
    it("are those that the simulator gives its regions", () => {
        for (const index of [0, 1, 60, 4_000]) {
            const { tables } = contentOf(firstKeyOf(index), firstKeyOf(index + 1));
            assert.equal(tables?.to, tableOf(index));
        }
    });
});

describe("ranges of tables", () => {
    it("are joined if they meet, overlap or follow on each other", () => {
        const ranges = [
            { from: 9, to: 9 },
            { from: 1, to: 3 },
            { from: 4, to: 4 },
            { from: 2, to: 2 },
        ];
        assert.deepEqual(joined(ranges), [
            { from: 1, to: 4 },
            { from: 9, to: 9 },
        ]);
    });
    it("are told in words", () => {
        const words = ([from, to]: [number, number]) => tablesInWords({ from, to });
        assert.deepEqual(
            (
                [
                    [64, 64],
                    [64, 70],
                    [0, 70],
                    [64, Infinity],
                    [0, Infinity],
                ] as [number, number][]
            ).map(words),
            ["64", "64 to 70", "up to 70", "from 64 on", "of any id"],
        );
    });
});
