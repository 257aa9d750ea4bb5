import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { scripts, shells } from "../../bin/completion/scripts";

const root = resolve(__dirname, "../..");
const isThere = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

describe("the script of pulumi-tidb completion", () => {
    for (const shell of shells) {
        it(`is valid for ${shell}${isThere(shell) ? "" : ` (not tried: there is no ${shell})`}`, () => {
            if (isThere(shell)) {
                const { stderr } = spawnSync(shell, ["-n"], { input: scripts[shell], encoding: "utf8" });
                assert.equal(stderr, "");
            }
        });
    }

    describe(`in bash${isThere("bash") ? "" : " (not tried: there is no bash)"}`, () => {
        const rows: [string[], string[]][] = [
            [["re"], ["render"]],
            [
                ["render", "my"],
                ["my cluster.yaml", "my clusters"],
            ],
            [["render", "--output", "=", "y"], ["yaml"]],
            [
                ["render", "--output", "="],
                ["json", "yaml"],
            ],
            [["convert", "x.yaml", "--stack", "my"], ["my clusters"]],
            [["sandbox", "start", "--no"], ["--nodes"]],
            [["stop", ""], []],
        ];
        let folder: string;
        let offered: string[][] = [];

        before(function () {
            this.timeout(60_000);
            folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-completion-"));
            mkdirSync(join(folder, "path"));
            mkdirSync(join(folder, "my clusters"));
            writeFileSync(join(folder, "my cluster.yaml"), "");
            const program = join(folder, "path", "pulumi-tidb");
            const [tsx, command] = [require.resolve("tsx/cjs"), join(root, "bin/pulumi-tidb.ts")];
            const start = `exec "${process.execPath}" --require "${tsx}" "${command}" "$@"`;
            writeFileSync(program, `#!/bin/sh\nexport TSX_TSCONFIG_PATH="${join(root, "tsconfig.json")}"\n${start}\n`);
            chmodSync(program, 0o755);
            if (isThere("bash")) {
                offered = inBash(rows.map(([words]) => words));
            }
        });

        after(() => rmSync(folder, { recursive: true }));

        /** Asks bash what it would offer, as it does when the user presses Tab at the end of the words. */
        function inBash(lines: readonly (readonly string[])[]): string[][] {
            const script = `
                source <(pulumi-tidb completion bash)
                [ "$(complete -p pulumi-tidb)" = "complete -F _pulumi_tidb pulumi-tidb" ] || exit 1
                ask() {
                    COMP_WORDS=(pulumi-tidb "$@") COMP_CWORD=$#
                    _pulumi_tidb
                    if [ \${#COMPREPLY[@]} -gt 0 ]; then printf '%s\\n' "\${COMPREPLY[@]}"; fi
                    echo end
                }
                ${lines.map((words) => `ask ${words.map((word) => `'${word}'`).join(" ")}`).join("\n")}`;
            const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], {
                cwd: folder,
                encoding: "utf8",
                env: { ...process.env, PATH: `${join(folder, "path")}${delimiter}${process.env.PATH}` },
            });
            assert.equal(stderr, "");
            assert.equal(status, 0);
            return stdout.split("end\n").map((text) => text.split("\n").slice(0, -1));
        }

        rows.forEach(([words, expected], index) => {
            it(`completes "${words.join(" ")}" to ${expected.join(", ") || "nothing"}`, () => {
                if (isThere("bash")) {
                    assert.deepEqual(offered[index].sort(), expected);
                }
            });
        });
    });
});
