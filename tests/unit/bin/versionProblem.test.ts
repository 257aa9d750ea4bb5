import assert from "node:assert/strict";
import { versionProblem } from "../../../bin/versionProblem";
import { pinnedWords } from "../../support/pinned";

describe("the versions of the command and of pulumi-tidb", () => {
    it("fit if they are the same", () => {
        assert.equal(versionProblem("0.1.0", "0.1.0"), undefined);
    });

    it("do not fit if one is newer, because the command's plan would not be the program's", () => {
        assert.ok(versionProblem("0.1.0", "0.1.1")?.endsWith("npm install --save-dev pulumi-tidb-cli@0.1.1"));
    });

    it("do not fit if pulumi-tidb is not installed", () => {
        assert.ok(versionProblem("0.1.0", undefined)?.endsWith("pulumi-tidb@0.1.0"));
    });

    pinnedWords("version-problem", {
        "pulumi-tidb is newer": () => versionProblem("0.1.0", "0.1.1") ?? "",
        "pulumi-tidb is not installed": () => versionProblem("0.1.0", undefined) ?? "",
    });
});
