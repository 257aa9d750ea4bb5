import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../../..");

describe(".mocharc.e2e.json", () => {
    it("lists each end-to-end test file once, longest first", () => {
        const { spec } = JSON.parse(readFileSync(join(root, ".mocharc.e2e.json"), "utf8")) as { spec: string[] };
        const files = readdirSync(join(root, "tests/e2e")).filter((file) => file.endsWith(".test.ts"));
        assert.deepEqual([...spec].sort(), files.map((file) => `tests/e2e/${file}`).sort());
    });
});
