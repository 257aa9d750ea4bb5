import * as assert from "node:assert/strict";
import { filesOf, quickFiles, shardOf } from "../../../scripts/testAll";

describe("the shards of all tests", () => {
    const files = ["a", "b", "c", "d", "e"];

    it("have each file once, and the slow ones at the beginning in different shards", () => {
        const shards = ["1/3", "2/3", "3/3"].map((shard) => shardOf(files, shard));
        assert.deepEqual(shards, [["a", "d"], ["b", "e"], ["c"]]);
        assert.deepEqual(shardOf(files), files);
    });

    for (const shard of ["0/3", "4/3", "1", "1/0", "a/b", "1/3/5"]) {
        it(`cannot be ${shard}: the error says what is expected`, () => {
            assert.throws(() => shardOf(files, shard), /found .*, expected I\/N with I from 1 to N/);
        });
    }

    it("need not have what npm test runs, but for a file of which it runs a part", () => {
        const quick = quickFiles();
        assert.ok(quick.includes("tests/e2e/oneDay.test.ts"));
        assert.ok(filesOf(["tests/contract/pd"]).every((file) => quick.includes(file)));
        assert.ok(!quick.includes("tests/model/killAndResume.test.ts"));
    });

    it("are made of the files of a suite in its own order, and of all files of a folder", () => {
        assert.deepEqual(filesOf(["tests/e2e/zones.test.ts", "tests/e2e/cdc.test.ts"]), [
            "tests/e2e/zones.test.ts",
            "tests/e2e/cdc.test.ts",
        ]);
        assert.ok(filesOf(["tests/unit/**/*.test.ts"]).includes("tests/unit/endToEnd/shards.test.ts"));
    });
});
