import * as assert from "node:assert/strict";
import { join } from "node:path";
import * as ts from "typescript";
import { parse } from "yaml";
import { codeBlocks, pages, root } from "./pages";

const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    strict: true,
    skipLibCheck: true,
    esModuleInterop: true,
    resolveJsonModule: true,
    noEmit: true,
    types: ["node"],
    // The sources, so that this needs no build.
    paths: { "pulumi-tidb": [join(root, "index.ts")] },
};

describe("the code in the documentation", () => {
    const blocks = pages().flatMap(codeBlocks);

    it("compiles against the package", function () {
        this.timeout(300_000); // Pulumi's types of Kubernetes are large.
        const programs = new Map(
            blocks
                .filter(({ language }) => language === "ts")
                .map(({ page, line, code }) => [
                    join(root, "examples", `${page.replace(/\W/g, "-")}-line-${line}.ts`),
                    code,
                ]),
        );
        assert.ok(programs.size >= 3, "README has a program, one from YAML, and one with settings");
        const host = ts.createCompilerHost(options);
        const { fileExists, readFile, getSourceFile } = host;
        host.fileExists = (file) => programs.has(file) || fileExists(file);
        host.readFile = (file) => programs.get(file) ?? readFile(file);
        host.getSourceFile = (file, version, ...rest) => {
            const code = programs.get(file);
            return code === undefined
                ? getSourceFile(file, version, ...rest)
                : ts.createSourceFile(file, code, version);
        };
        const program = ts.createProgram([...programs.keys()], options, host);
        const problems = [...programs.keys()].flatMap((file) => {
            const source = program.getSourceFile(file);
            return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
        });
        assert.equal(ts.formatDiagnostics(problems, { ...host, getCurrentDirectory: () => root }), "");
    });

    it("is YAML where it says so", () => {
        for (const { code, language } of blocks) {
            if (language === "yaml") {
                assert.equal(typeof parse(code), "object");
            }
        }
    });
});
