import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { smallCluster } from "../../unit/components/manifests";

const good = JSON.stringify(smallCluster());

describe("pulumi-tidb render, as a process", () => {
    it("refuses a folder and a missing file with one line and exit code 1", () => {
        for (const [file, reason] of [
            ["nope.yaml", "does not exist"],
            ["tests", "is a folder"],
        ]) {
            const command = ["--require", "tsx/cjs", "bin/pulumi-tidb.ts", "render", file];
            const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
            assert.equal(status, 1);
            assert.equal(stdout, "");
            assert.match(stderr, new RegExp(`^error: ${file}: cannot be read: ${reason}[^\n]*\n$`));
        }
    });

    it("does not load Pulumi's SDK, which takes longer than everything else", () => {
        const loaded = `const { render } = require("./bin/renderCommand");
            const [good, bad] = ["json", "json"].map((format, index) => render("a", format, () => process.argv[1 + index]));
            const sdk = Object.keys(require.cache).filter((file) => /@pulumi|@grpc/.test(file));
            console.log(JSON.stringify([good.exitCode, bad.exitCode, sdk]));`;
        const { stdout, stderr } = spawnSync(process.execPath, ["--require", "tsx/cjs", "-e", loaded, good, "{}"], {
            encoding: "utf8",
        });
        assert.equal(stdout, "[0,1,[]]\n", stderr);
    });
});
