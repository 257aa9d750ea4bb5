import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { bundle } from "./package/bundle";
import { withoutDescriptions } from "./package/schema";
import { reachableTypes } from "./package/types";

/**
 * `npm run build` runs this after the compiler. It makes `dist/` as small and as quick to load as users need it: one file with
 * the JavaScript of the package, a source map that leads from a stack trace to the file and line of the source, the types that
 * the entries reach, and the schema without descriptions.
 */
const root = resolve(__dirname, "..");
const dist = join(root, "dist");

/**
 * What stays as the compiler made it: modules whose text is stored in users' stacks and clusters (the gates' provider, and the
 * discovery server in its ConfigMap) with what they import, and the schema.
 */
const kept = ["components/gates", "components/protection", "components/discovery/serverFiles"];
const keptSchema = "components/spec.schema.json";
const keptFolder = "components/discovery/server/";

interface Manifest {
    readonly exports: Record<string, { types?: string; default?: string } | string>;
    readonly bin: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
const entries = Object.values(manifest.exports).filter((entry) => typeof entry !== "string");
const modules = entries.flatMap((entry) => (entry.default === undefined ? [] : resolve(root, entry.default)));
const commands = Object.values(manifest.bin).map((path) => resolve(root, path));

function files(ending: string): string[] {
    return readdirSync(dist, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(ending))
        .map((name) => join(dist, name));
}

/** The source of a file of `dist/`, relative to the package's folder. */
function sourceOf(file: string): string {
    return relative(dist, file).replace(/\.js$/, ".ts");
}

function removeBundledFiles(): void {
    // Users' Node.js never runs the discovery server, so its source maps are of no use.
    const isKept = (path: string): boolean =>
        (path.startsWith(keptFolder) && path.endsWith(".js")) || kept.some((module) => path.startsWith(`${module}.js`));
    for (const file of [".js", ".js.map"].flatMap(files)) {
        if (!isKept(relative(dist, file))) {
            rmSync(file);
        }
    }
}

async function writeBundle(): Promise<void> {
    const { code, map } = await bundle({
        root,
        entries: [...modules, ...commands].map(sourceOf),
        kept: [...kept, keptSchema],
    });
    writeFileSync(join(dist, "package.js"), code);
    writeFileSync(join(dist, "package.js.map"), map);
}

/** Writes the file that loads an entry from the bundle. */
function writeEntry(file: string): void {
    const code = `"use strict";\nmodule.exports = ${loading(file)};\n`;
    writeFileSync(file, code);
    const names = Object.keys(createRequire(__filename)(file) as object).join(", ");
    // Node takes the names for `import` from this text, which never runs.
    writeFileSync(file, `${code}0 && (module.exports = { ${names} });\n`);
}

function writeCommand(file: string): void {
    writeFileSync(file, `#!/usr/bin/env node\n"use strict";\n${loading(file)}.run();\n`);
}

function loading(file: string): string {
    const path = relative(dirname(file), join(dist, "package.js"));
    return `require("./${path}")["${sourceOf(file)}"]()`;
}

/** Types are read by editors: one tab is as good as four spaces. */
function indentTypesByTabs(): void {
    for (const path of files(".d.ts")) {
        const tabs = (spaces: string): string => "\t".repeat(spaces.length / 4);
        writeFileSync(path, readFileSync(path, "utf8").replace(/^( {4})+/gm, tabs));
    }
}

function removeInnerTypes(): void {
    const roots = entries.flatMap(({ types }) => (types ? [resolve(root, types)] : []));
    const reached = reachableTypes(roots);
    files(".d.ts")
        .filter((path) => !reached.has(path))
        .forEach((path) => rmSync(path));
}

function shrinkSchema(): void {
    const path = join(dist, keptSchema);
    writeFileSync(path, JSON.stringify(withoutDescriptions(JSON.parse(readFileSync(path, "utf8")))));
}

async function main(): Promise<void> {
    removeBundledFiles();
    await writeBundle();
    modules.forEach(writeEntry);
    commands.forEach(writeCommand);
    removeInnerTypes();
    indentTypesByTabs();
    shrinkSchema();
    const sizes = [".js", ".map", ".ts", ".json"].flatMap(files).map((path) => statSync(path).size);
    console.log(`dist: ${sizes.length} files, ${sizes.reduce((sum, size) => sum + size, 0)} bytes`);
}

main().catch((error: Error) => {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
});
