import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { columns, type Column, nodes, typescripts } from "./matrix/versions";

/**
 * Installs the packed package next to the lowest and the newest versions that it allows of Pulumi's packages, and tries
 * it with each Node.js and TypeScript version. Prints a Markdown table for docs/supported-versions.md, and fails if
 * anything failed. Nothing needs a cluster.
 */
const root = path.join(__dirname, "..");
const program = path.join(root, "examples", "basic", "index.ts");
const manifest = path.join(root, "examples", "from-yaml", "cluster.yaml");

function run(folder: string, command: string, args: readonly string[]): string {
    return execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** @returns what came of one try: its version of Node.js or TypeScript and `yes`, or the last line of the error. */
function attempt(what: () => string): { passed: boolean; words: string } {
    try {
        return { passed: true, words: what() };
    } catch (error) {
        const { stderr, stdout, message } = error as { stderr?: string; stdout?: string; message: string };
        const output = [stderr, stdout, message].find((text) => text !== undefined && text.trim() !== "") ?? "";
        console.error(output);
        return { passed: false, words: "failed" };
    }
}

function pack(source: string, folder: string): string {
    const answer = run(source, "npm", ["pack", "--json", "--pack-destination", folder]);
    const [{ filename }] = JSON.parse(answer.slice(answer.indexOf("[\n"))) as { filename: string }[];
    return path.join(folder, filename);
}

/** The paths of the packed packages. */
interface Packages {
    readonly library: string;
    readonly command: string;
}

/** Installs one column: the packages, Pulumi's packages, and all versions of Node.js and TypeScript under other names. */
function install(folder: string, packages: Packages, column: Column): void {
    mkdirSync(folder);
    const platform = `node-${process.platform}-${process.arch}`;
    const dependencies = {
        "pulumi-tidb": `file:${packages.library}`,
        "pulumi-tidb-cli": `file:${packages.command}`,
        ...column.packages,
        ...Object.fromEntries(nodes.map((version) => [`node-${version}`, `npm:${platform}@${version}`])),
        ...Object.fromEntries(typescripts.map((version) => [`typescript-${version}`, `npm:typescript@${version}`])),
    };
    // One copy of Pulumi's packages, as in a user's project.
    const project = { name: "matrix", private: true, dependencies, overrides: column.packages };
    writeFileSync(path.join(folder, "package.json"), JSON.stringify(project));
    cpSync(program, path.join(folder, "index.ts"));
    cpSync(manifest, path.join(folder, "cluster.yaml"));
    cpSync(path.join(__dirname, "matrix", "underMocks.mjs"), path.join(folder, "underMocks.mjs"));
    run(folder, "npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"]);
}

function versionOf(folder: string, name: string): string {
    const file = path.join(folder, "node_modules", name, "package.json");
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version.replace(/^v/, "");
}

/** A program under the mocks, and a manifest rendered on the command line. */
function tryNode(folder: string, version: string): string {
    const node = path.join(folder, "node_modules", `node-${version}`, "bin", "node");
    run(folder, node, ["underMocks.mjs"]);
    const objects = run(folder, node, ["node_modules/pulumi-tidb-cli/pulumi-tidb.js", "render", "cluster.yaml"]);
    const kinds = (JSON.parse(objects) as { kind: string }[]).map(({ kind }) => kind);
    if (kinds.filter((kind) => kind === "StatefulSet").length !== 3) {
        throw new Error(`rendered ${kinds.join(", ")}, expected three StatefulSets`);
    }
    return versionOf(folder, `node-${version}`);
}

function tryTypescript(folder: string, version: string): string {
    const flags = "--noEmit --strict --skipLibCheck --target ES2022 --module node16 --moduleResolution node16";
    const compiler = path.join("node_modules", `typescript-${version}`, "bin", "tsc");
    run(folder, process.execPath, [compiler, ...flags.split(" "), "index.ts"]);
    return versionOf(folder, `typescript-${version}`);
}

function main(): void {
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-matrix-"));
    try {
        const packages = { library: pack(root, folder), command: pack(path.join(root, "cli"), folder) };
        const found = columns.map((column, index) => {
            const project = path.join(folder, String(index));
            install(project, packages, column);
            const pulumi = Object.keys(column.packages).map((name) => `\`${name}\` ${versionOf(project, name)}`);
            return {
                title: `${column.title}: ${pulumi.join(", ")}`,
                tries: [
                    ...nodes.map((version) => ({ name: "Node.js", ...attempt(() => tryNode(project, version)) })),
                    ...typescripts.map((version) => ({
                        name: "TypeScript",
                        ...attempt(() => tryTypescript(project, version)),
                    })),
                ],
            };
        });
        for (const { title, tries } of found) {
            console.log(`- ${title}`);
            for (const name of ["Node.js", "TypeScript"]) {
                console.log(
                    `  - ${name}: ${tries
                        .filter((one) => one.name === name)
                        .map(({ words }) => words)
                        .join(", ")}`,
                );
            }
        }
        process.exitCode = found.some(({ tries }) => tries.some(({ passed }) => !passed)) ? 1 : 0;
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

main();
