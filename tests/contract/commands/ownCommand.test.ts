import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

describe("the command that messages tell the user to run, from a process", () => {
    let elsewhere: string;
    const root = join(__dirname, "../../..");
    const code = "process.stdout.write(require('./bin/ownCommand').ownCommand())";

    before(() => {
        elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "pulumi-tidb-own-")));
        mkdirSync(join(elsewhere, "first"));
        mkdirSync(join(elsewhere, "second"));
        symlinkSync(join(root, "bin/pulumi-tidb.ts"), join(elsewhere, "second/pulumi-tidb"));
    });

    after(() => rmSync(elsewhere, { recursive: true }));

    it("is pulumi-tidb only if the first one on PATH is this one", () => {
        const run = (path: string[]): string => {
            const program = join(elsewhere, "second/pulumi-tidb");
            const { stdout, stderr } = spawnSync(
                process.execPath,
                ["--require", "tsx/cjs", "-e", `process.argv[1] = ${JSON.stringify(program)}; ${code}`],
                { cwd: root, encoding: "utf8", env: { PATH: path.join(delimiter) } },
            );
            assert.equal(stderr, "");
            return stdout;
        };
        const [first, second] = [join(elsewhere, "first"), join(elsewhere, "second")];
        assert.equal(run([first, second]), "pulumi-tidb");
        assert.equal(run([first]), join(second, "pulumi-tidb"));
        symlinkSync(join(root, "package.json"), join(first, "pulumi-tidb"));
        assert.equal(run([first, second]), join(second, "pulumi-tidb"));
    });
});
