import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { packedServer } from "../components/discovery/serverFiles";
import {
    type Bundle,
    type BundleInputs,
    bundle,
    bundledSources,
    entryName,
    loadsFromDist,
    takesFromPackage,
} from "./package/bundle";
import { longTextsFile } from "./package/longTexts";
import { holdsSchemasAsTexts } from "./package/schema";
import { traceMappings } from "./package/sourceMap";
import { neededTypes } from "./package/types";

/**
 * `npm run build` runs this after the compiler. It makes the `dist/` of two packages as small and as quick to load as users need
 * it: one file with the JavaScript of the package, and a source map that leads from a stack trace to the file and line of the
 * source. `pulumi-tidb` also has the types that its entries reach, and the schema without descriptions. `pulumi-tidb-cli` has the
 * command, and takes everything else from `pulumi-tidb`.
 */
const root = resolve(__dirname, "..");
const dist = join(root, "dist");
const commandDist = join(root, "cli", "dist");
const [start, command] = ["bin/start.ts", "bin/pulumi-tidb.ts"];

/** What stays as the compiler made it: what reads the discovery server, which is stored in its ConfigMap, with what it imports. */
const kept = ["components/discovery/serverFiles", "components/discovery/server/settings"];

/** What needs dependencies that the command's package does not have. */
const clients = ["provider/cluster/", "provider/pd/"];

/** @param source its path, relative to the package's folder. */
function isKept(source: string): boolean {
    return kept.some((module) => source.startsWith(`${module}.`));
}

interface Manifest {
    readonly exports: Record<string, { types?: string; default?: string } | string>;
}
/** The entry for the command, which needs the very code that programs run. Its names are paths of sources. */
const internal = "./internal";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
const entries = Object.entries(manifest.exports).flatMap(([name, entry]) =>
    typeof entry === "string" || name === internal ? [] : entry,
);
const modules = entries.flatMap((entry) => (entry.default === undefined ? [] : resolve(root, entry.default)));

function files(ending: string): string[] {
    return filesIn(dist).filter((name) => name.endsWith(ending));
}

function filesIn(folder: string): string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name));
}

/** The source of a file of `dist/`, relative to the package's folder. */
function sourceOf(file: string): string {
    return relative(dist, file).replace(/\.js$/, ".ts");
}

function removeBundledFiles(): void {
    for (const file of [".js", ".js.map", ".schema.json"].flatMap(files)) {
        if (!isKept(relative(dist, file))) {
            rmSync(file);
        }
    }
}

function shortenKeptMaps(): void {
    for (const file of files(".js.map")) {
        writeFileSync(
            file,
            traceMappings(readFileSync(file, "utf8"), readFileSync(file.replace(/\.map$/, ""), "utf8")),
        );
    }
}

/** Nobody reads the server's files in the package, and compressed they take a third of the room. */
function packDiscoveryServer(): void {
    const folder = join(dist, "components/discovery");
    const names = readdirSync(join(folder, "server")).filter((name) => name.endsWith(".js"));
    const textOf = (name: string): string =>
        readFileSync(join(folder, "server", name), "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
    const texts = Object.fromEntries(names.sort().map((name) => [name, textOf(name)]));
    writeFileSync(join(folder, packedServer), brotliCompressSync(JSON.stringify(texts)));
}

/**
 * Writes the command with everything that programs do not need.
 * @param ofPrograms the sources that programs need.
 * @returns those of them that the command takes from `pulumi-tidb`.
 */
async function writeCommand(ofPrograms: ReadonlySet<string>): Promise<readonly string[]> {
    const taken = new Set<string>();
    const file = join(commandDist, "command.js");
    const isOwn = (source: string): boolean =>
        !(ofPrograms.has(source) || isKept(source) || clients.some((folder) => source.startsWith(folder)));
    const plugins = [takesFromPackage(root, isOwn, "pulumi-tidb/internal", taken)];
    rmSync(commandDist, { recursive: true, force: true });
    mkdirSync(commandDist, { recursive: true });
    write(file, await bundle(file, { root, entries: [start, command], plugins }));
    return [...taken].sort();
}

const packageFile = join(dist, "package.js");

function ofPackage(entries: readonly string[]): BundleInputs {
    return {
        root,
        entries,
        nameOf: entryName,
        plugins: [loadsFromDist(root, kept), holdsSchemasAsTexts],
    };
}

async function writePackage(taken: readonly string[]): Promise<void> {
    write(packageFile, await bundle(packageFile, ofPackage([...new Set([...modules.map(sourceOf), ...taken])])));
    modules.forEach(writeEntry);
    writeFileSync(join(dist, "internal.js"), '"use strict";\nmodule.exports = require("./package.js");\n');
}

function write(file: string, { code, map, texts }: Bundle): void {
    writeFileSync(file, code);
    writeFileSync(`${file}.map`, map);
    if (texts !== undefined) {
        writeFileSync(join(dirname(file), longTextsFile), texts);
    }
}

/** Writes the file that loads an entry from the bundle. */
function writeEntry(file: string): void {
    const code = `"use strict";\nmodule.exports = ${loading(file)};\n`;
    writeFileSync(file, code);
    const names = Object.keys(createRequire(__filename)(file) as object).join(", ");
    // Node takes the names for `import` from this text, which never runs.
    writeFileSync(file, `${code}0 && (module.exports = { ${names} });\n`);
}

function loading(file: string): string {
    const path = relative(dirname(file), join(dist, "package.js"));
    return `require("./${path}").${entryName(sourceOf(file))}()`;
}

/** Where an entry has types alone, only the sandbox imports them, which is built beside their documented source. */
const withoutComments = entries.flatMap(({ types, default: code }) => (types && !code ? [resolve(root, types)] : []));

/** Keeps the types that users need. Editors read them: one tab is as good as four spaces, and one line of a comment as several. */
function shortenTypes(): void {
    const needed = neededTypes(entries.flatMap(({ types }) => (types ? [resolve(root, types)] : [])));
    const tabs = (spaces: string): string => "\t".repeat(spaces.length / 4);
    for (const path of files(".d.ts")) {
        const whole = needed.get(path);
        if (whole === undefined) {
            rmSync(path);
        } else {
            const indented = whole.replace(/^( {4})+/gm, tabs);
            const said = withoutComments.includes(path) ? indented.replace(/^\t*\/\*\*.*?\*\/\n/gms, "") : indented;
            writeFileSync(path, said.replace(/\/\*\*\n((?:\s*\* [^@\-`\s][^\n]*\n)+)\s*\*\//g, inOneLine));
        }
    }
}

function inOneLine(_: string, lines: string): string {
    return `/**${lines.replace(/\n?\s*\* /g, " ").trimEnd()} */`;
}

async function main(): Promise<void> {
    packDiscoveryServer();
    removeBundledFiles();
    shortenKeptMaps();
    const sources = await bundledSources(packageFile, ofPackage(modules.map(sourceOf)));
    await writePackage(await writeCommand(new Set(sources)));
    shortenTypes();
    for (const folder of [dist, commandDist]) {
        const sizes = filesIn(folder).map((path) => statSync(path).size);
        console.log(
            `${relative(root, folder)}: ${sizes.length} files, ${sizes.reduce((sum, size) => sum + size, 0)} bytes`,
        );
    }
}

main().catch((error: Error) => {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
});
