import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi, type PulumiDriver } from "pulumi-tidb-sandbox/pulumi";

/**
 * `npm run installation`: packs this package and the command's, installs them into empty folders with each package manager on PATH,
 * runs the command, and deploys and destroys README's first program in a sandbox. Under each manager a second program depends on
 * the package only through another package. Needs access to a package registry.
 */
const root = resolve(__dirname, "..");
const managers: readonly Manager[] = [
    { name: "npm", add: ["install", "--no-audit", "--no-fund"], refusesNewerNode: false },
    { name: "pnpm", add: ["add"], refusesNewerNode: false },
    { name: "yarn", add: ["add"], refusesNewerNode: true },
];
const sdk = "@pulumi/pulumi";
const compiler = ["typescript@5", "ts-node"];

/** The last version of Pulumi's SDK for Node.js 20, as docs/quick-start.md says. Later ones need Node.js 22. */
const sdkForNode20 = "3.248.0";

interface Manager {
    readonly name: string;
    /** Its words for adding packages to a project. */
    readonly add: readonly string[];
    /** Whether it takes the newest version of a package even if that needs a newer Node.js, and then fails, as yarn 1 does. */
    readonly refusesNewerNode: boolean;
}

interface Project {
    readonly title: string;
    readonly manager: Manager;
    readonly folder: string;
    readonly files: Readonly<Record<string, string>>;
    readonly packages: readonly string[];
    /** Whether the command is among them. */
    readonly hasCommand: boolean;
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

function projects(folder: string, tarball: string, command: string): Project[] {
    const wrapper = packWrapper(join(folder, "wrapper"), tarball);
    return managers
        .filter(({ name }) => spawnSync(name, ["--version"]).status === 0)
        .flatMap((manager): Project[] => [
            {
                title: `${manager.name}: README's program`,
                manager,
                folder: join(folder, manager.name),
                files: { "index.ts": readmeProgram() },
                packages: [tarball, command, sdk, "@pulumi/kubernetes", ...compiler],
                hasCommand: true,
            },
            {
                title: `${manager.name}: through another package`,
                manager,
                folder: join(folder, `${manager.name}-wrapped`),
                files: { "index.js": 'module.exports = require("wrapper");' },
                packages: [wrapper, sdk],
                hasCommand: false,
            },
        ]);
}

/** Makes a project and installs its packages. @returns what failed; undefined if all went well. */
function install({ manager, folder, files, packages }: Project): string | undefined {
    mkdirSync(folder);
    writeFileSync(join(folder, "Pulumi.yaml"), "name: my-cluster\nruntime: nodejs\n");
    const pinned = manager.refusesNewerNode && Number(process.versions.node.split(".")[0]) < 22;
    const resolutions = pinned ? { [sdk]: sdkForNode20 } : undefined;
    const manifest = { name: "my-cluster", version: "1.0.0", private: true, resolutions };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    Object.entries(files).forEach(([name, text]) => writeFileSync(join(folder, name), text));
    const wanted = packages.map((one) => (pinned && one === sdk ? `${sdk}@${sdkForNode20}` : one));
    const { status, stderr } = spawnSync(manager.name, [...manager.add, ...wanted], { cwd: folder, encoding: "utf8" });
    return status === 0 ? undefined : `${manager.name} failed:\n${stderr}`;
}

/** Runs the installed command. @returns what failed; undefined if all went well. */
function tryCommand({ manager, folder, hasCommand }: Project): string | undefined {
    const words = manager.name === "npm" ? ["exec", "--", "pulumi-tidb"] : ["exec", "pulumi-tidb"];
    const run = () => spawnSync(manager.name, [...words, "--version"], { cwd: folder, encoding: "utf8" });
    const result = hasCommand ? run() : undefined;
    return result === undefined || result.status === 0 ? undefined : `pulumi-tidb --version failed:\n${result.stderr}`;
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
        const [tarball, command] = [root, join(root, "cli")].map((source) => pack(source, folder));
        const driver = await findPulumi();
        console.log(`engine: ${driver.why}`);
        for (const project of projects(folder, tarball, command)) {
            const started = Date.now();
            const problem =
                install(project) ?? tryCommand(project) ?? (await deploy(driver, project.folder, sandbox.kubeconfig));
            const seconds = Math.round((Date.now() - started) / 1000);
            console.log(`${problem === undefined ? "ok" : "FAILED"}  ${project.title} (${seconds} s)`);
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
