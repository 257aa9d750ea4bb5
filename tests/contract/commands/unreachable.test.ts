import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { smallCluster } from "../../unit/components/manifests";

describe("an API server that does not answer", function () {
    this.timeout(60_000);
    let folder: string;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-unreachable-"));
        writeFileSync(join(folder, "cluster.yaml"), JSON.stringify(smallCluster()));
        // Nothing listens on port 1.
        const cluster = { server: "https://127.0.0.1:1" };
        const one = [{ name: "a", cluster, user: { token: "t" }, context: { cluster: "a", user: "a" } }];
        const config = { clusters: one, users: one, contexts: one, "current-context": "a" };
        writeFileSync(join(folder, "config"), JSON.stringify(config));
    });
    after(() => rmSync(folder, { recursive: true }));

    for (const [command, argument] of [
        ["stop", "basic"],
        ["status", "basic"],
        ["plan", "cluster.yaml"],
    ]) {
        it(`ends pulumi-tidb ${command} with what to check`, () => {
            const given = [command, argument === "basic" ? argument : join(folder, argument)];
            const words = [...given, "--kubeconfig", join(folder, "config")];
            const { status, stdout, stderr } = spawnSync(
                process.execPath,
                ["--require", "tsx/cjs", "bin/pulumi-tidb.ts", ...words],
                { encoding: "utf8" },
            );
            assert.deepEqual([status, stdout], [1, ""]);
            assert.match(
                stderr,
                /^error: .*could not reach the API server at https:\/\/127\.0\.0\.1:1 to [^:]+: connect ECONNREFUSED 127\.0\.0\.1:1\. Next: check that the cluster runs and that this machine reaches it, or choose another one with --kubeconfig or --context\n$/,
            );
        });
    }
});
