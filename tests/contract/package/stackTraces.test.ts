import { decode } from "@jridgewell/sourcemap-codec";
import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nearby } from "../../../scripts/package/sourceMap";
import { root } from "../docs/pages";

/** What reads source maps: the module that Pulumi registers, and Node.js. */
const readers = { Pulumi: ["--require", "source-map-support/register"], "Node.js": ["--enable-source-maps"] };

interface Place {
    readonly file: string;
    /** From 1. */
    readonly line: number;
}

function sourceLine({ file, line }: Place): string {
    const found = readFileSync(file, "utf8").split("\n")[line - 1];
    assert.notEqual(found, undefined, `${file} has no line ${line}`);
    return found.trim();
}

/** Runs a program that prints an error's stack. @returns the places in it that are in TypeScript. */
function trace(reader: readonly string[], program: string): Place[] {
    const { stdout, stderr } = spawnSync(process.execPath, [...reader, "--eval", program], {
        cwd: root,
        encoding: "utf8",
    });
    const places = [...stdout.matchAll(/\(?(\/[^():\n]*\.ts):(\d+):\d+\)?$/gm)];
    assert.notEqual(places.length, 0, stdout + stderr);
    return places.map(([, file, line]) => ({ file, line: Number(line) }));
}

/** @returns where the source map leads from each error that the built file makes in a throw. */
function thrownErrors(built: string): Place[] {
    const { sourceRoot, sources, mappings } = JSON.parse(readFileSync(`${built}.map`, "utf8")) as {
        sourceRoot: string;
        sources: string[];
        mappings: string;
    };
    const segments = decode(mappings);
    const lines = readFileSync(built, "utf8").split("\n");
    return lines.flatMap((code, index) =>
        [...code.matchAll(/\bthrow (?=(?:new [\w$.]+|Error)\()/g)].map(({ 0: word, index: column }) => {
            const made = column + word.length;
            const [, source, line] = segments[index].filter(([start]) => start <= made).at(-1) ?? [];
            assert.ok(source !== undefined && line !== undefined, `nothing is mapped at column ${made} of ${built}`);
            return { file: join(dirname(built), sourceRoot, sources[source]), line: line + 1 };
        }),
    );
}

describe("a stack trace from the built package", function () {
    this.timeout(120_000);

    for (const [name, reader] of Object.entries(readers)) {
        it(`names the file and the line that threw, as ${name} prints it`, () => {
            const [thrown] = trace(
                reader,
                'try { require("./dist/testing").tidbMocks({ nonsense: 1 }); } catch (error) { console.log(error.stack); }',
            );
            assert.equal(thrown.file, join(root, "testing/checkedOptions.ts"));
            assert.match(sourceLine(thrown), /^throw new Error\(`tidbMocks: .* is not a known field; /);
        });
    }

    it("names the file, and a line nearby, of a call that failed", () => {
        const [called] = trace(
            readers.Pulumi,
            `const { renderCluster } = require("./dist");
            try { renderCluster({ get metadata() { throw new Error("here"); }, spec: {} }); } catch (error) { console.log(error.stack); }`,
        );
        assert.equal(called.file, join(root, "components/lease/manifests.ts"));
        const lines = readFileSync(called.file, "utf8").split("\n");
        const line = lines.findIndex((text) => text.includes("leaseName(manifest.metadata.name)")) + 1;
        assert.ok(line > 0 && Math.abs(called.line - line) <= nearby, `${called.line}, expected about ${line}`);
    });

    for (const [built, expected] of [
        ["dist/package.js", 100],
        ["cli/dist/command.js", 20],
    ] as const) {
        it(`names the line that makes each error that ${built} throws`, () => {
            const places = thrownErrors(join(root, built));
            assert.ok(places.length >= expected, `${places.length} errors were found`);
            const wrong = places.filter((place) => !/\b(throw|new) /.test(sourceLine(place)));
            assert.deepEqual(wrong, []);
        });
    }
});
