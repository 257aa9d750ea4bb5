import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { findProgram } from "./scriptRun";

/** Defines the test that shellcheck finds nothing in the scripts. Its title says so if shellcheck is not installed. */
export function itPassesShellcheck(scripts: Iterable<string>): void {
    const checked = findProgram("shellcheck") ? "" : " (shellcheck is not installed: NOT CHECKED)";
    it(`passes shellcheck${checked}`, function () {
        this.timeout(30_000);
        if (checked !== "") {
            return this.skip();
        }
        for (const script of scripts) {
            const { status, stdout } = spawnSync("shellcheck", ["-s", "sh", "-"], { input: script });
            assert.equal(status, 0, `${stdout.toString()}\n${script}`);
        }
    });
}
