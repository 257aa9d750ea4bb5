import assert from "node:assert/strict";
import { versionProblem } from "../../../bin/versionProblem";

describe("the versions of the command and of pulumi-tidb", () => {
    it("fit if they are the same", () => {
        assert.equal(versionProblem("0.1.0", "0.1.0"), undefined);
    });

    it("do not fit if one is newer, because the command's plan would not be the program's", () => {
        assert.equal(
            versionProblem("0.1.0", "0.1.1"),
            "found pulumi-tidb 0.1.1 and pulumi-tidb-cli 0.1.0; expected the same version. Run: npm install --save-dev pulumi-tidb-cli@0.1.1",
        );
    });

    it("do not fit if pulumi-tidb is not installed", () => {
        assert.match(
            versionProblem("0.1.0", undefined) ?? "",
            /^pulumi-tidb is not installed here, .*pulumi-tidb@0\.1\.0$/,
        );
    });
});
