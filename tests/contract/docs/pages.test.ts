import * as assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Command } from "commander";
import { commandLine } from "../../../bin/pulumi-tidb";
import { checkManifest } from "../../../components/checkManifest";
import { parseManifests } from "../../../components/parseManifest";
import { sandboxCommand } from "../../../sandbox/command";
import { codeBlocks, codeSpans, pageAt, pages, root } from "./pages";

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const topFolders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name);

/** Every TypeScript file of the repository, as a path from its root with a slash in front. */
const sources = topFolders
    .filter((folder) => folder !== "node_modules")
    .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
            .map((entry) => `/${relative(root, join(entry.parentPath, entry.name))}`),
    )
    .filter((path) => !/\/(node_modules|dist)\//.test(path))
    .concat("/index.ts");

describe("the documentation", () => {
    for (const [path, words] of [
        ["AGENTS.md", 600],
        ["CONTRIBUTING.md", 1500],
    ] as const) {
        it(`takes a newcomer at most ${words} words of ${path}`, () => {
            const found = readFileSync(join(root, path), "utf8").split(/\s+/).length;
            assert.ok(found <= words, `${path} has ${found} words`);
        });
    }

    for (const page of [...pages(), pageAt(join("tests", "acceptance.md"))]) {
        describe(page.path, () => {
            it("links to files that exist", () => {
                const targets = [...page.text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]);
                const missing = targets
                    .filter((target) => !/^(https?:|#|mailto:)/.test(target))
                    .filter((target) => !existsSync(join(root, dirname(page.path), target.replace(/#.*/, ""))));
                assert.deepEqual(missing, []);
            });

            it("names folders and files that exist", () => {
                const named = codeSpans(page).filter((span) => /^[\w.-]+\/[\w./-]*$/.test(span));
                const missing = named
                    .filter((span) => topFolders.includes(span.split("/")[0]))
                    // A build makes these.
                    .filter((span) => !/\/dist$/.test(span))
                    .filter((span) => !existsSync(join(root, span)));
                assert.deepEqual(missing, []);
            });

            it("names source files by a name or an end of a path that exists", () => {
                const named = codeSpans(page).filter((span) => /^[\w./-]+\.ts$/.test(span));
                const missing = named.filter((span) => !sources.some((path) => path.endsWith(`/${span}`)));
                assert.deepEqual(missing, []);
            });

            it("names npm scripts that exist", () => {
                const named = [...page.text.matchAll(/npm (?:run ([\w:-]+)|(test)\b)/g)].map(
                    (match) => match[1] ?? match[2],
                );
                assert.deepEqual(
                    named.filter((script) => scripts[script] === undefined),
                    [],
                );
            });

            it("names commands and options of pulumi-tidb that exist", () => {
                const lines = [...codeBlocks(page).flatMap(({ code }) => code.split("\n")), ...codeSpans(page)];
                const calls = lines.flatMap((line) => /^(?:npx )?pulumi-tidb (.*)/.exec(line.trim())?.[1] ?? []);
                for (const call of calls) {
                    const words = call
                        .replace(/\s[#|>].*/, "")
                        .trim()
                        .split(/\s+/);
                    if (words[0] === "sandbox" && words.length > 1) {
                        assertCommand(sandboxCommand(), words.slice(1));
                    } else {
                        assertCommand(commandLine(), words);
                    }
                }
            });
        });
    }

    it("names the functions of each safety rule in the files that have them", () => {
        const { text: page } = pageAt(join("docs", "architecture.md"));
        const named = [...page.matchAll(/`([\w/]+\.ts)`: ((?:`\w+`(?:, )?)+)/g)];
        assert.ok(named.length >= 10, "the table of rules does not have the form that this test reads");
        for (const [, file, names] of named) {
            const path = existsSync(join(root, file)) ? file : `provider/lifecycle/${file}`;
            const text = readFileSync(join(root, path), "utf8");
            for (const [, name] of names.matchAll(/`(\w+)`/g)) {
                assert.match(text, new RegExp(`\\b${name}\\b`), `${name} is not in ${path}`);
            }
        }
    });

    it("has a valid YAML example, without warnings", () => {
        const file = join(root, "examples", "from-yaml", "cluster.yaml");
        assert.deepEqual(checkManifest(parseManifests(readFileSync(file, "utf8"), file).clusters[0]).warnings, []);
    });
});

/** Follows the words of a call for as long as they are commands, then checks the options of the last command. */
function assertCommand(command: Command, words: string[]): void {
    const [word, ...rest] = words;
    if (word === undefined) {
        return; // The text names a group of commands.
    }
    const inner = command.commands.find((one) => one.name() === word);
    if (inner) {
        return assertCommand(inner, rest);
    }
    const known = [...command.options.flatMap(({ long, short }) => [long, short]), "--help", "-h"];
    assert.ok(
        command.commands.length === 0 || word.startsWith("-") || word.includes("|"),
        `pulumi-tidb has no command ${word}`,
    );
    for (const option of words.filter((one) => one.startsWith("-") && one !== "-")) {
        assert.ok(known.includes(option), `${command.name()} has no option ${option}`);
    }
}
