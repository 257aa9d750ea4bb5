import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const testsIn = (folder: string) => readdirSync(join(root, folder)).filter((file) => file.endsWith(".test.ts"));

describe(".mocharc.e2e.json", () => {
    it("lists each end-to-end test file once, longest first, or the group that loads it", () => {
        const { spec } = JSON.parse(read(".mocharc.e2e.json")) as { spec: string[] };
        const groups = testsIn("tests/e2e/together").map((file) => `tests/e2e/together/${file}`);
        const grouped = groups.flatMap((file) => {
            const [, list = ""] = /inOneSandbox\(.*?, \[([^\]]*)\]/s.exec(read(file)) ?? [];
            return [...list.matchAll(/"(\w+)"/g)].map(([, name]) => `tests/e2e/${name}.test.ts`);
        });
        const files = testsIn("tests/e2e").map((file) => `tests/e2e/${file}`);
        assert.deepEqual([...spec, ...grouped].sort(), [...files, ...groups].sort());
    });
});
