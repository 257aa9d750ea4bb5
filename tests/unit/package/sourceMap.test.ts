import * as assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { transformSync } from "esbuild";
import ts from "typescript";
import { withoutDescriptions } from "../../../scripts/package/schema";
import { traceMappings } from "../../../scripts/package/sourceMap";

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

describe("the package's source maps", () => {
    it("lead from a throw or an awaited call to its line, and from other code to the beginning of its block", () => {
        const { code, map } = built();
        const small = new SourceMap(JSON.parse(traceMappings(map, code)) as ConstructorParameters<typeof SourceMap>[0]);
        const lineOf = (text: string) => {
            const { originalLine } = small.findEntry(0, code.indexOf(text)) as { originalLine: number };
            return source[originalLine]?.trim();
        };
        assert.equal(code.trim().split("\n").length, 1);
        assert.equal(lineOf(">2?"), "export function first(value: number): number {");
        assert.equal(lineOf("new Error"), "throw new Error(`no ${value}`);");
        assert.equal(lineOf("await "), "await third();");
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
        const small = new SourceMap(JSON.parse(text) as ConstructorParameters<typeof SourceMap>[0]);
        const { originalLine } = small.findEntry(0, code.indexOf("new Error")) as { originalLine: number };
        assert.equal(originalLine, 53);
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
