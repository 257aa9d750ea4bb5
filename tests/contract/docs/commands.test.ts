import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
    chmodSync,
    copyFileSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { commandInOneFile } from "../../support/inOneFile";
import { commandTable } from "./commandTable";
import { type CodeBlock, codeBlocks, pages, root } from "./pages";

interface ShownCommand {
    readonly where: string;
    readonly command: string;
}

/** @returns the commands of a block, without comments; a backslash continues a line. */
function commandsOf({ page, line, code, language }: CodeBlock): ShownCommand[] {
    return ["sh", "bash", "shell", "console"].includes(language)
        ? code
              .replaceAll(/\\\n\s*/g, "")
              .split("\n")
              .map((text) => text.replace(/(^|\s+)#.*$/, "").trim())
              .filter((command) => command !== "")
              .map((command) => ({ where: `${page}, block at line ${line}`, command }))
        : [];
}

const shown = pages().flatMap(codeBlocks).flatMap(commandsOf);
const entryOf = (command: string) => commandTable.find((entry) => entry.command.test(command));

describe("the commands in the documentation", () => {
    it("are all known to tests/contract/docs/commandTable.ts, which says how each is tested", () => {
        assert.ok(shown.length >= 30, `found only ${shown.length} commands`);
        assert.deepEqual(
            shown.filter(({ command }) => entryOf(command) === undefined),
            [],
        );
    });

    it("that are tested elsewhere name files that exist", () => {
        const files = commandTable.flatMap((entry) => ("elsewhere" in entry ? entry.elsewhere : []));
        assert.deepEqual(
            files.filter((file) => !existsSync(join(root, file))),
            [],
        );
    });

    describe("work as written", () => {
        let folder: string;

        before(() => {
            folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-commands-"));
            const example = join(root, "examples", "from-yaml", "cluster.yaml");
            copyFileSync(example, join(folder, "cluster.yaml"));
            const text = readFileSync(example, "utf8");
            writeFileSync(join(folder, "clusters.yaml"), `${text}\n---\n${text.replace("name: basic", "name: other")}`);
            // As npx in a project: it runs the command of the installed package, here from the sources.
            mkdirSync(join(folder, "path"));
            const npx = join(folder, "path", "npx");
            writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${commandInOneFile()}" "$@"\n`);
            chmodSync(npx, 0o755);
        });

        after(() => rmSync(folder, { recursive: true }));

        for (const command of new Set(shown.map((one) => one.command))) {
            const entry = entryOf(command);
            if (entry && "runs" in entry) {
                it(command, () => {
                    const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
                        cwd: folder,
                        encoding: "utf8",
                        env: {
                            ...process.env,
                            PATH: `${join(folder, "path")}${delimiter}${process.env.PATH}`,
                            npm_config_user_agent: "npm/10",
                            PULUMI_TIDB_CACHE: join(folder, "cache"),
                        },
                    });
                    assert.equal(status, 0, stdout + stderr);
                    assert.match(stdout, entry.runs);
                });
            }
        }
    });
});
