import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

describe("an unusable cache folder", () => {
    let folder: string;

    beforeEach(() => {
        folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-cache-"));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    /** Runs `sandbox start` in a process of its own, which must end. */
    function start(cache: string): { status: number | null; stderr: string } {
        const command = `require(${JSON.stringify(path.resolve(__dirname, "../../../sandbox/command.ts"))})`;
        return spawnSync(
            process.execPath,
            [
                "--require",
                require.resolve("tsx/cjs"),
                "--eval",
                `${command}.runSandboxCommand(["start", "--name", "unit"])`,
            ],
            // Without programs on PATH, the first thing that start does is to make the cache folder.
            { encoding: "utf8", timeout: 60_000, env: { ...process.env, PATH: "", PULUMI_TIDB_CACHE: cache } },
        );
    }

    const expected = (cache: string, why: string) =>
        `error: the cache folder ${cache} cannot be used: ${why}. Make it usable, or set PULUMI_TIDB_CACHE to another folder\n`;

    it("is named in one line if it is below a file", () => {
        const file = path.join(folder, "file");
        writeFileSync(file, "");
        const { status, stderr } = start(path.join(file, "cache"));
        assert.equal(stderr, expected(path.join(file, "cache"), "a part of its path is a file"));
        assert.equal(status, 1);
        assert.deepEqual(readdirSync(folder), ["file"]);
    }).timeout(60_000);

    (existsSync("/proc/self") ? it : it.skip)(
        "is named in one line if no folder can be created there, and start ends",
        () => {
            const { status, stderr } = start("/proc/pulumi-tidb");
            assert.equal(stderr, expected("/proc/pulumi-tidb", "it cannot be made there"));
            assert.equal(status, 1);
        },
    ).timeout(60_000);
});
