import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";
import axios from "axios";
import { cliDriver } from "./cliDriver";
import { engineDriver } from "./engineDriver";
import { PulumiDriver } from "./types";

const run = promisify(execFile);

/** The environment variables with which the choice is made. */
export const ENGINE_VARIABLE = "PULUMI_TIDB_ENGINE";
export const BINARY_VARIABLE = "PULUMI_TIDB_PULUMI";

/** The oldest CLI that runs the SDK of this package. */
const OLDEST = [3, 200];
const PROBE_MILLISECONDS = 4000;
const DOWNLOAD_MILLISECONDS = 3 * 60 * 1000;

/** Either a CLI that can be used, or why there is none. */
type Finding = { binary: string; version: string } | { missing: string };

/**
 * The real Pulumi CLI where there is one, on PATH or by PULUMI_TIDB_PULUMI; else one that is downloaded; else the sandbox's
 * engine. PULUMI_TIDB_ENGINE (`cli` or `sandbox`) decides, as `choice` does.
 * @throws when the CLI was asked for and cannot be had
 */
export async function findPulumi(choice?: "cli" | "sandbox"): Promise<PulumiDriver> {
    const wish = process.env[ENGINE_VARIABLE] || choice;
    if (wish !== undefined && wish !== "cli" && wish !== "sandbox") {
        throw new Error(`${ENGINE_VARIABLE} is "${wish}", expected "cli" or "sandbox"`);
    }
    if (wish === "sandbox") {
        return engineDriver("the sandbox's engine, as asked for");
    }
    const found = await findBinary();
    const usable = "missing" in found ? await download(found.missing) : found;
    if ("missing" in usable) {
        if (wish === "cli") {
            throw new Error(
                `the Pulumi CLI cannot be used: ${usable.missing}. Install it, or point ${BINARY_VARIABLE} at it.`,
            );
        }
        return engineDriver(`the sandbox's engine, because the Pulumi CLI cannot be used: ${usable.missing}`);
    }
    const plugin = await provideKubernetesPlugin(usable.binary);
    if (plugin !== undefined && wish !== "cli") {
        return engineDriver(`the sandbox's engine, because Pulumi ${usable.version} cannot be used: ${plugin}`);
    }
    if (plugin !== undefined) {
        throw new Error(`Pulumi ${usable.version} (${usable.binary}) cannot be used: ${plugin}`);
    }
    return cliDriver(usable.binary, `the Pulumi CLI ${usable.version}, found at ${usable.binary}`);
}

async function findBinary(): Promise<Finding> {
    const given = process.env[BINARY_VARIABLE];
    if (given) {
        return isExecutable(given)
            ? checkVersion(path.resolve(given))
            : { missing: `${BINARY_VARIABLE}=${given} is no program` };
    }
    const onPath = findOnPath("pulumi");
    return onPath === undefined ? { missing: "pulumi is not on PATH" } : checkVersion(onPath);
}

async function checkVersion(binary: string): Promise<Finding> {
    try {
        const environment = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
        const { stdout } = await run(binary, ["version"], { timeout: 10_000, env: environment });
        const version = stdout.trim();
        const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
        const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
        return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
            ? { binary, version }
            : { missing: `${binary} is ${version}, and ${OLDEST.join(".")} or later is needed` };
    } catch (error) {
        return { missing: `${binary} does not tell its version: ${(error as Error).message.split("\n")[0]}` };
    }
}

/** Downloads the CLI into the user's cache folder, if the internet answers within seconds. */
async function download(missing: string): Promise<Finding> {
    const root = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "pulumi-tidb", "pulumi");
    const binary = path.join(root, "bin", "pulumi");
    if (isExecutable(binary)) {
        return checkVersion(binary);
    }
    const unreachable = await probe("https://get.pulumi.com/");
    if (unreachable !== undefined) {
        return { missing: `${missing}, and it cannot be downloaded (${unreachable})` };
    }
    try {
        const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
        await withTimeout(PulumiCommand.install({ root }), DOWNLOAD_MILLISECONDS);
        return await checkVersion(binary);
    } catch (error) {
        return { missing: `${missing}, and its download failed: ${(error as Error).message.split("\n")[0]}` };
    }
}

/** Undefined when the plugin that this package's `@pulumi/kubernetes` needs is there, or was installed; else why not. */
async function provideKubernetesPlugin(binary: string): Promise<string | undefined> {
    const manifest = readFileSync(require.resolve("@pulumi/kubernetes/package.json"), "utf8");
    const { version } = JSON.parse(manifest) as { version: string };
    const home = process.env.PULUMI_HOME || path.join(homedir(), ".pulumi");
    const isThere = existsSync(path.join(home, "plugins", `resource-kubernetes-v${version}`));
    const folders = [path.dirname(binary), ...(process.env.PATH ?? "").split(path.delimiter)];
    if (isThere || folders.some((folder) => isExecutable(path.join(folder, "pulumi-resource-kubernetes")))) {
        return undefined;
    }
    const unreachable = await probe("https://api.pulumi.com/");
    if (unreachable !== undefined) {
        return `its plugin for Kubernetes ${version} is not installed and cannot be downloaded (${unreachable})`;
    }
    try {
        await run(binary, ["plugin", "install", "resource", "kubernetes", version], { timeout: DOWNLOAD_MILLISECONDS });
        return undefined;
    } catch (error) {
        return `its plugin for Kubernetes ${version} cannot be installed: ${(error as Error).message.split("\n")[0]}`;
    }
}

async function probe(url: string): Promise<string | undefined> {
    try {
        const signal = AbortSignal.timeout(PROBE_MILLISECONDS);
        await axios.head(url, { signal, timeout: PROBE_MILLISECONDS, validateStatus: (status) => status < 500 });
        return undefined;
    } catch (error) {
        return `${url}: ${(error as Error).message}`;
    }
}

function findOnPath(name: string): string | undefined {
    return (process.env.PATH ?? "")
        .split(path.delimiter)
        .map((folder) => path.join(folder, name))
        .find(isExecutable);
}

function isExecutable(file: string): boolean {
    try {
        accessSync(file, constants.X_OK);
        return true;
    } catch {
        return false;
    }
}

async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`not done after ${milliseconds / 1000} s`)), milliseconds);
    });
    return Promise.race([work, expired]).finally(() => clearTimeout(timer));
}
