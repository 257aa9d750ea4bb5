import * as assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { transformSync } from "esbuild";
import ts from "typescript";
import { minify } from "../../../scripts/package/minify";
import { withoutDescriptions } from "../../../scripts/package/schema";
import { followedBy, nearby, traceMappings } from "../../../scripts/package/sourceMap";

const source = [
    "/** Comment. */",
    "export function first(value: number): number {",
    "    // Comment.",
    "    const doubled = value * 2;",
    "    return doubled > 2 ? second(doubled) : doubled;",
    "}",
    "",
    "function second(value: number): number {",
    "    throw new Error(`no ${value}`);",
    "}",
    "",
    "export async function waits(third: () => Promise<void>): Promise<void> {",
    "    console.log(1);",
    "    await third();",
    "}",
];

/** Compiles and shrinks the source as the build does. */
function built(lines: readonly string[] = source): { code: string; map: string } {
    const compiled = ts.transpileModule(lines.join("\n"), {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS, inlineSourceMap: true },
        fileName: "gate.ts",
    }).outputText;
    const { code, map } = transformSync(compiled, { minify: true, sourcemap: true, sourcesContent: false });
    return { code, map };
}

/** A finder of the source's line, from 0, by a text of the code. */
function tracer(code: string, map: string): (text: string) => number {
    const small = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
    return (text) => {
        const column = code.indexOf(text);
        assert.notEqual(column, -1, `${text} is not in ${code}`);
        return (small.findEntry(0, column) as { originalLine: number }).originalLine;
    };
}

describe("the package's source maps", () => {
    it("lead from a throw or an awaited call to its line, and from other code to a line nearby", () => {
        const { code, map } = built();
        const lineOf = tracer(code, traceMappings(map, code));
        assert.equal(code.trim().split("\n").length, 1);
        assert.equal(source[lineOf("new Error")].trim(), "throw new Error(`no ${value}`);");
        assert.equal(source[lineOf("await ")].trim(), "await third();");
    });

    it("lead from any call to a line that is not further than promised", () => {
        const calls = Array.from({ length: 60 }, (_, index) => `    console.log(${1001 + index});`);
        const { code, map } = built(["export function many(): void {", ...calls, "}"]);
        const text = traceMappings(map, code);
        const lineOf = tracer(code, text);
        const distances = calls.map((_, index) => Math.abs(lineOf(`log(${1001 + index}`) - (index + 1)));
        assert.equal(Math.max(...distances), nearby);
        assert.ok((JSON.parse(text) as { mappings: string }).mappings.split(",").length < 60 / nearby + 2, text);
    });

    it("lead from each error that one statement throws to the line of that error", () => {
        const lines = [
            "export function either(value: number): never {",
            "    if (value > 2) {",
            "        throw new RangeError(`big ${value}`);",
            "    }",
            "    throw new TypeError(`small ${value}`);",
            "}",
        ];
        const { code, map } = minify(built(lines));
        assert.equal(code.match(/throw/g)?.length, 1, code);
        const lineOf = tracer(code, traceMappings(map, code));
        assert.equal(lineOf("RangeError("), 2);
        assert.equal(lineOf("TypeError("), 4);
    });

    it("are not followed if they lead to several files", () => {
        const { map } = built();
        const several = JSON.stringify({ version: 3, sources: ["a.js", "b.js"], names: [], mappings: "AAAA" });
        assert.throws(
            () => followedBy(several, map),
            /^Error: source map: found the sources a\.js, b\.js, expected one$/,
        );
    });

    it("name no source that is not a file", () => {
        const { code, map } = built();
        const { sources, ...rest } = JSON.parse(map) as { sources: string[]; mappings: string };
        for (const name of ["<stdin>", "pulumi-tidb/internal:provider/lease.ts"]) {
            const others = traceMappings(JSON.stringify({ ...rest, sources: sources.map(() => name) }), code);
            assert.deepEqual(JSON.parse(others), {
                version: 3,
                sourceRoot: "../",
                sources: [],
                names: [],
                mappings: "",
            });
        }
    });

    it("leave out text that cannot fail: words in a list, whatever is in them, and braces", () => {
        const listed = [
            "export const words = [",
            ...Array.from({ length: 50 }, (_, index) => `    "word.${index} (of some)",`),
            "];",
            "export function last(): never {",
            "    throw new Error(words.join());",
            "}",
        ];
        const { code, map } = built(listed);
        const text = traceMappings(map, code);
        assert.ok((JSON.parse(text) as { mappings: string }).mappings.split(",").length < 10, text);
        assert.equal(tracer(code, text)("new Error"), 53);
    });

    it("contain neither the sources' text nor names", () => {
        const { code, map } = built();
        const small = JSON.parse(traceMappings(map, code)) as Record<string, unknown>;
        assert.deepEqual(Object.keys(small), ["version", "sources", "names", "mappings"]);
        assert.deepEqual(small.names, []);
    });
});

describe("the package's schema", () => {
    it("has no descriptions, but keeps a field of that name", () => {
        const schema = {
            description: "x",
            properties: { description: { type: "string", description: "y" } },
            anyOf: [],
        };
        assert.deepEqual(withoutDescriptions(schema), { properties: { description: { type: "string" } }, anyOf: [] });
    });
});
