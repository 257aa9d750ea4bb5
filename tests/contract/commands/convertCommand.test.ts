import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

describe("pulumi-tidb convert, as a process", () => {
    for (const [folderName, why] of [
        ["/proc/pulumi-tidb/project", "no folder can be made there"],
        ["/dev/null/project", "a part of the path is a file, not a folder"],
    ] as const) {
        const title = `says in one line that it cannot write to ${folderName}, and ends`;
        (existsSync("/proc/self") ? it : it.skip)(title, () => {
            const command = ["bin/pulumi-tidb.ts", "convert", "examples/from-yaml/cluster.yaml", "--stack", folderName];
            const { status, stdout, stderr } = spawnSync(
                process.execPath,
                ["--require", require.resolve("tsx/cjs"), ...command],
                { cwd: join(__dirname, "../../.."), encoding: "utf8", timeout: 60_000 },
            );
            assert.equal(status, 1, stdout);
            assert.equal(stderr, `error: --stack ${folderName}: cannot be written: ${why}; choose another path\n`);
        }).timeout(60_000);
    }
});
