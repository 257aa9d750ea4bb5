import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { root } from "../docs/pages";

const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

/** Workflows cannot run here. actionlint checks their syntax, expressions, events, permissions and shells' words. */
describe("actionlint", function () {
    this.timeout(600_000);

    it("accepts the workflows; it is built with Go, which downloads it", () => {
        // Without its optional helpers, which would make the result depend on what a machine has.
        const { error, status, stdout, stderr } = spawnSync(
            "go",
            ["run", actionlint, "-no-color", "-shellcheck=", "-pyflakes="],
            { cwd: root, encoding: "utf8" },
        );
        assert.equal(
            error,
            undefined,
            `cannot run Go: ${error?.message}. Install Go 1.26 or later, as for the sandbox`,
        );
        assert.equal(status, 0, `go run ${actionlint} failed:\n${stdout}${stderr}`);
    });
});
