import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi, type PulumiDriver } from "pulumi-tidb-sandbox/pulumi";

/**
 * `npm run installation [TARBALL]`: packs this package, installs it into empty folders with each package manager on PATH, and
 * deploys and destroys README's first program in a sandbox. Under each manager a second program depends on the package only
 * through another package. Needs access to a package registry. TARBALL is a package that npm pack has already made.
 */
const root = resolve(__dirname, "..");
const managers = [
    { name: "npm", add: ["install", "--no-audit", "--no-fund"] },
    { name: "pnpm", add: ["add"] },
    { name: "yarn", add: ["add"] },
];
const sdk = ["@pulumi/pulumi", "@pulumi/kubernetes"];
const compiler = ["typescript@5", "ts-node"];

interface Project {
    readonly title: string;
    readonly manager: (typeof managers)[number];
    readonly folder: string;
    readonly files: Readonly<Record<string, string>>;
    readonly packages: readonly string[];
}

/** @returns README's first program, which deploys the cluster `mine`. */
function readmeProgram(): string {
    const program = /^```ts\n(import [^`]*new TidbCluster\("mine"[^`]*)^```$/m.exec(
        readFileSync(join(root, "README.md"), "utf8"),
    )?.[1];
    if (program === undefined) {
        throw new Error('README.md has no program with new TidbCluster("mine", …)');
    }
    return program;
}

/** Packs a package whose program is README's: a user's program then gets pulumi-tidb only through it. */
function packWrapper(folder: string, tarball: string): string {
    mkdirSync(folder);
    const manifest = {
        name: "wrapper",
        version: "1.0.0",
        main: "index.js",
        dependencies: { "pulumi-tidb": `file:${tarball}` },
    };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(
        join(folder, "index.js"),
        readmeProgram()
            .replace(/^import (.*) from (.*);$/m, "const $1 = require($2);")
            .replace("export const host", "exports.host"),
    );
    return pack(folder, folder);
}

function pack(source: string, target: string): string {
    const name = execFileSync("npm", ["pack", "--silent", "--pack-destination", target], {
        cwd: source,
        encoding: "utf8",
    });
    return join(target, name.trim().split("\n").at(-1) ?? "");
}

function projects(folder: string, tarball: string): Project[] {
    const wrapper = packWrapper(join(folder, "wrapper"), tarball);
    return managers
        .filter(({ name }) => spawnSync(name, ["--version"]).status === 0)
        .flatMap((manager): Project[] => [
            {
                title: `${manager.name}: README's program`,
                manager,
                folder: join(folder, manager.name),
                files: { "index.ts": readmeProgram() },
                packages: [tarball, ...sdk, ...compiler],
            },
            {
                title: `${manager.name}: through another package`,
                manager,
                folder: join(folder, `${manager.name}-wrapped`),
                files: { "index.js": 'module.exports = require("wrapper");' },
                packages: [wrapper, sdk[0]],
            },
        ]);
}

function install({ manager, folder, files, packages }: Project): void {
    mkdirSync(folder);
    writeFileSync(join(folder, "Pulumi.yaml"), "name: my-cluster\nruntime: nodejs\n");
    writeFileSync(join(folder, "package.json"), '{ "name": "my-cluster", "version": "1.0.0", "private": true }\n');
    Object.entries(files).forEach(([name, text]) => writeFileSync(join(folder, name), text));
    execFileSync(manager.name, [...manager.add, ...packages], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** Deploys and destroys a project. @returns what failed; undefined if all went well. */
async function deploy(driver: PulumiDriver, folder: string, kubeconfig: string): Promise<string | undefined> {
    for (const operation of ["up", "destroy"] as const) {
        const options = { program: folder, stack: "dev", stateFolder: join(folder, "state"), skipPreview: true };
        const run = await driver.start(operation, { ...options, environment: { KUBECONFIG: kubeconfig } }).done;
        if (!run.ok) {
            return `${operation} failed:\n${run.output}`;
        }
    }
    return undefined;
}

async function main(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-installation-"));
    const sandbox = await startSandbox();
    try {
        const tarball = process.argv[2] ? resolve(process.argv[2]) : pack(root, folder);
        const driver = await findPulumi();
        console.log(`engine: ${driver.why}`);
        for (const project of projects(folder, tarball)) {
            install(project);
            const problem = await deploy(driver, project.folder, sandbox.kubeconfig);
            console.log(`${problem === undefined ? "ok" : "FAILED"}  ${project.title}`);
            if (problem !== undefined) {
                console.error(problem);
                process.exitCode = 1;
            }
        }
    } finally {
        await sandbox.down();
        rmSync(folder, { recursive: true });
    }
}

void main();
