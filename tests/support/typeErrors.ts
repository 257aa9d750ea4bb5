import { join } from "node:path";
import * as ts from "typescript";

export const root = join(__dirname, "..", "..");

export const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    strict: true,
    skipLibCheck: true,
    esModuleInterop: true,
    resolveJsonModule: true,
    noEmit: true,
    types: ["node", "mocha"],
    // The sources, so no build is needed.
    paths: {
        "pulumi-tidb": [join(root, "index.ts")],
        "pulumi-tidb/testing": [join(root, "testing", "index.ts")],
        "pulumi-tidb/provider/pd/wire": [join(root, "provider", "pd", "wire.ts")],
        "pulumi-tidb-sandbox": [join(root, "sandbox", "index.ts")],
        "pulumi-tidb-sandbox/pulumi": [join(root, "sandbox", "pulumi", "index.ts")],
    },
};

/** @returns the path at which a program that users write is compiled. It need not exist. */
export const path = (name: string): string => join(root, "examples", name);

/** The files that programs import: they stay the same from one program to the next, and Pulumi's are large. */
const imported = new Map<string, ts.SourceFile | undefined>();

/**
 * Compiles programs that users write or receive, all at once, because Pulumi's types of Kubernetes are large.
 *
 * @param programs the text by file name; the files need not exist
 * @returns the compiler's type errors; empty if there are none
 */
export function typeErrors(programs: ReadonlyMap<string, string>): string {
    const texts = new Map([...programs].map(([name, text]) => [path(name), text]));
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (file) => texts.has(file) || fileExists(file);
    host.readFile = (file) => texts.get(file) ?? readFile(file);
    host.getSourceFile = (file, version, ...rest) => {
        const text = texts.get(file);
        if (text !== undefined) {
            return ts.createSourceFile(file, text, version);
        }
        if (!imported.has(file)) {
            imported.set(file, getSourceFile(file, version, ...rest));
        }
        return imported.get(file);
    };
    const program = ts.createProgram([...texts.keys()], options, host);
    const problems = [...texts.keys()].flatMap((file) => {
        const source = program.getSourceFile(file);
        return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    });
    return ts.formatDiagnostics(problems, { ...host, getCurrentDirectory: () => root });
}
