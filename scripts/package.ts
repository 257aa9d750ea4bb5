import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { buildSync } from "esbuild";
import { withoutDescriptions } from "./package/schema";
import { oneMappingPerLine } from "./package/sourceMap";
import { reachableTypes } from "./package/types";

/**
 * `npm run build` runs this after the compiler. It makes `dist/` as small as users need it: JavaScript without comments and
 * long inner names, source maps that lead from a stack trace to the file and line of the source, the types that the entries
 * reach, and the schema without descriptions.
 */
const dist = resolve(__dirname, "..", "dist");

/** Files whose text is stored in users' stacks and clusters: the gates' provider, and the discovery server in its ConfigMap. */
const pinned = [join("components", "gates.js"), join("components", "discovery", "server")];

const { exports: entries } = JSON.parse(readFileSync(join(dist, "..", "package.json"), "utf8")) as {
    exports: Record<string, { types?: string; default?: string }>;
};
const entryFiles = Object.values(entries).map((entry) => resolve(dist, "..", entry.default ?? ""));

function files(ending: string): string[] {
    return readdirSync(dist, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(ending))
        .map((name) => join(dist, name));
}

function minify(): void {
    const isPinned = (file: string): boolean => pinned.some((path) => relative(dist, file).startsWith(path));
    const entryPoints = files(".js").filter((file) => !isPinned(file));
    entryPoints.filter((file) => !isEntry(file)).forEach(removeMark);
    const hasClass = (file: string): boolean => /^class /m.test(readFileSync(file, "utf8"));
    const common = {
        outdir: dist,
        outbase: dist,
        allowOverwrite: true,
        write: false,
        target: "es2022",
        minify: true,
        sourcemap: true,
        sourcesContent: false,
    } as const;
    const results = [
        // Without a format, names at the top of a file stay: users see the names of classes in their logs.
        buildSync({ ...common, entryPoints: entryPoints.filter(hasClass) }),
        buildSync({ ...common, entryPoints: entryPoints.filter((file) => !hasClass(file)), format: "cjs" }),
    ];
    for (const { path, text } of results.flatMap(({ outputFiles }) => outputFiles)) {
        writeFileSync(path, withNamesForImport(text));
    }
    files(".js.map").forEach((path) => writeFileSync(path, oneMappingPerLine(readFileSync(path, "utf8"))));
}

/** Whether users load the file by a name of `exports`, or as the command. */
function isEntry(path: string): boolean {
    return path.startsWith(join(dist, "bin")) || entryFiles.includes(path);
}

/**
 * Removes the mark of a compiled ES module from an inner file: only a default import looks for it, and no inner file has a
 * default export. The line stays, so the source maps do.
 */
function removeMark(file: string): void {
    const mark = 'Object.defineProperty(exports, "__esModule", { value: true });';
    writeFileSync(file, readFileSync(file, "utf8").replace(mark, ""));
}

/** Node finds the names that a CommonJS file passes on, for `import`, by their text: `enumerable: true`, and not `!0`. */
function withNamesForImport(text: string): string {
    return text.replaceAll("{enumerable:!0,get:", "{enumerable:true,get:");
}

/** A file that only has types is required by nobody: the compiler leaves its imports out. */
function removeEmptyFiles(): void {
    const isEmpty = (path: string): boolean =>
        readFileSync(path, "utf8").startsWith('"use strict";\n//# sourceMappingURL');
    for (const path of files(".js").filter(isEmpty)) {
        rmSync(path);
        rmSync(`${path}.map`);
    }
}

/** Types are read by editors: one tab is as good as four spaces. */
function indentTypesByTabs(): void {
    for (const path of files(".d.ts")) {
        const tabs = (spaces: string): string => "\t".repeat(spaces.length / 4);
        writeFileSync(path, readFileSync(path, "utf8").replace(/^( {4})+/gm, tabs));
    }
}

function removeInnerTypes(): void {
    const roots = Object.values(entries).flatMap(({ types }) => (types ? [resolve(dist, "..", types)] : []));
    const reached = reachableTypes(roots);
    files(".d.ts")
        .filter((path) => !reached.has(path))
        .forEach((path) => rmSync(path));
}

function shrinkSchema(): void {
    const path = join(dist, "components", "spec.schema.json");
    writeFileSync(path, JSON.stringify(withoutDescriptions(JSON.parse(readFileSync(path, "utf8")))));
}

minify();
removeEmptyFiles();
removeInnerTypes();
indentTypesByTabs();
shrinkSchema();
const sizes = [".js", ".map", ".ts", ".json"].flatMap(files).map((path) => statSync(path).size);
console.log(`dist: ${sizes.length} files, ${sizes.reduce((sum, size) => sum + size, 0)} bytes`);
