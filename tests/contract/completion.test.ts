import { buildSync } from "esbuild";
import * as assert from "node:assert/strict";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { shells } from "../../bin/completion/scripts";
import { cacheVariable } from "../../sandbox/controlPlane/folders";
import { claimFolder, saveState } from "../../sandbox/controlPlane/registry";
import { ask, type Asked, isThere } from "../support/completion/shells";

const root = resolve(__dirname, "../..");

/** Each line with what is offered at its end. Shells differ in how they write a folder, and the value of an option after `=`. */
const rows: [line: string, offered: string[]][] = [
    ["pulumi-tidb re", ["render"]],
    ["pulumi-tidb render my", ["my cluster.yaml", "my clusters"]],
    ["pulumi-tidb render --output ", ["json", "yaml"]],
    ["pulumi-tidb render --output=y", ["yaml"]],
    ["pulumi-tidb render --output=", ["json", "yaml"]],
    ["pulumi-tidb plan x --kubeconfig=other", ["other.yaml"]],
    ["pulumi-tidb convert x.yaml --stack my", ["my clusters"]],
    ["pulumi-tidb sandbox start --no", ["--nodes"]],
    ["pulumi-tidb sandbox stop --name ", ["green", "grey"]],
    ["pulumi-tidb sandbox stop --name=gree", ["green"]],
    ["pulumi-tidb sandbox pulumi up --sandbox gre", ["green", "grey"]],
    ["pulumi-tidb stop ", []],
];

describe("the script of pulumi-tidb completion", () => {
    let folder: string;
    let place: Parameters<(typeof ask)["bash"]>[1];

    before(async () => {
        folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-completion-"));
        const [files, path, cache] = ["files", "path", "cache"].map((name) => join(folder, name));
        [path, join(files, "my clusters"), join(cache, "sandboxes")].forEach((one) =>
            mkdirSync(one, { recursive: true }),
        );
        ["my cluster.yaml", "other.yaml"].forEach((name) => writeFileSync(join(files, name), ""));
        for (const name of ["green", "grey"]) {
            await claimFolder(name, join(cache, "sandboxes", name));
        }
        // Its process has ended.
        saveState({ ...(await claimFolder("gre", join(cache, "sandboxes", "gre"))), ownerProcessId: 999999999 });
        // In one file it starts several times as fast as from the sources, and the shells start it three dozen times.
        const [command, program] = [join(folder, "pulumi-tidb.js"), join(path, "pulumi-tidb")];
        const sandbox = join(folder, "node_modules/pulumi-tidb-sandbox/command.js");
        const options = { bundle: true, platform: "node", packages: "external", logLevel: "error" } as const;
        buildSync({ ...options, entryPoints: [join(root, "bin/pulumi-tidb.ts")], outfile: command });
        buildSync({ ...options, entryPoints: [join(root, "sandbox/command.ts")], outfile: sandbox });
        copyFileSync(join(root, "package.json"), join(folder, "package.json"));
        const packages = `NODE_PATH="${join(root, "node_modules")}"`;
        writeFileSync(program, `#!/bin/sh\n${packages} exec "${process.execPath}" "${command}" "$@"\n`);
        chmodSync(program, 0o755);
        const found = `${path}${delimiter}${process.env.PATH}`;
        place = { folder: files, environment: { ...process.env, PATH: found, [cacheVariable]: cache } };
    });

    after(() => rmSync(folder, { recursive: true }));

    for (const shell of shells) {
        const isMissing = !isThere(shell);
        describe(`in ${shell}${isMissing ? ` (not tried: there is no ${shell})` : ""}`, () => {
            let asked: Asked = [];
            before(function () {
                this.timeout(60_000);
                asked = isMissing
                    ? []
                    : ask[shell](
                          rows.map(([line]) => line),
                          place,
                      );
            });

            rows.forEach(([line, offered], index) => {
                it(`completes "${line}" to ${offered.join(", ") || "nothing"}`, function () {
                    if (isMissing) {
                        this.skip();
                    }
                    const words = asked[index].map((word) => word.replace(/^--\w+=/, "").replace(/\/$/, ""));
                    assert.deepEqual([...new Set(words)].sort(), offered);
                });
            });
        });
    }
});
