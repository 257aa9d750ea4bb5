import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";
import { findOnPath } from "../controlPlane/programs/search";
import { cliDriver } from "./cliDriver";
import { probe, provideCliPlugin } from "./cliPlugins";
import { engineDriver } from "./engineDriver";
import { type PulumiDriver } from "./types";

const run = promisify(execFile);

/** The environment variable that selects the engine: `cli` or `sandbox`. */
export const engineVariable = "PULUMI_TIDB_ENGINE";
/** The environment variable that holds the path of the CLI. Default: the CLI on PATH. */
export const binaryVariable = "PULUMI_TIDB_PULUMI";

/** The oldest CLI version that can run the SDK of this package. */
const oldest = [3, 200];
const downloadMilliseconds = 3 * 60 * 1000;

/** A usable CLI, or why there is none. */
type Finding = { binary: string; version: string } | { missing: string };

/**
 * Finds the engine to use: the Pulumi CLI from PULUMI_TIDB_PULUMI or PATH, otherwise a downloaded CLI, otherwise the
 * sandbox's engine. PULUMI_TIDB_ENGINE (`cli` or `sandbox`) overrides this order, and so does `choice`.
 * @throws if the CLI was requested and is not available
 */
export async function findPulumi(choice?: "cli" | "sandbox"): Promise<PulumiDriver> {
    const wish = process.env[engineVariable] || choice;
    if (wish !== undefined && wish !== "cli" && wish !== "sandbox") {
        throw new Error(`${engineVariable} is "${wish}", expected "cli" or "sandbox"`);
    }
    if (wish === "sandbox") {
        return engineDriver("the sandbox's engine, as requested");
    }
    const found = await findBinary();
    const usable = "missing" in found ? await download(found.missing) : found;
    if ("missing" in usable) {
        if (wish === "cli") {
            throw new Error(
                `the Pulumi CLI cannot be used: ${usable.missing}. Install it, or point ${binaryVariable} at it.`,
            );
        }
        return engineDriver(`the sandbox's engine, because the Pulumi CLI cannot be used: ${usable.missing}`);
    }
    const manifest = readFileSync(require.resolve("@pulumi/kubernetes/package.json"), "utf8");
    const kubernetes = (JSON.parse(manifest) as { version: string }).version;
    const plugin = await provideCliPlugin(usable.binary, "kubernetes", kubernetes);
    if (plugin !== undefined && wish !== "cli") {
        return engineDriver(`the sandbox's engine, because Pulumi ${usable.version} cannot be used: ${plugin}`);
    }
    if (plugin !== undefined) {
        throw new Error(`Pulumi ${usable.version} (${usable.binary}) cannot be used: ${plugin}`);
    }
    return cliDriver(usable.binary, `the Pulumi CLI ${usable.version}, found at ${usable.binary}`);
}

async function findBinary(): Promise<Finding> {
    const given = process.env[binaryVariable];
    if (given) {
        return isProgram(given)
            ? checkVersion(path.resolve(given))
            : { missing: `${binaryVariable}=${given} is not an executable file` };
    }
    const onPath = findOnPath("pulumi", process.env.PATH);
    return onPath === undefined ? { missing: "pulumi is not on PATH" } : checkVersion(onPath);
}

async function checkVersion(binary: string): Promise<Finding> {
    try {
        const environment = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
        const { stdout } = await run(binary, ["version"], { timeout: 10_000, env: environment });
        const version = stdout.trim();
        const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
        const [oldestMajor = 0, oldestMinor = 0] = oldest;
        return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
            ? { binary, version }
            : { missing: `${binary} is version ${version}; ${oldest.join(".")} or later is required` };
    } catch (error) {
        return { missing: `${binary} does not report its version: ${(error as Error).message.split("\n")[0]}` };
    }
}

/** Downloads the CLI into the user's cache folder if the download server answers within seconds. */
async function download(missing: string): Promise<Finding> {
    const root = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "pulumi-tidb", "pulumi");
    const binary = path.join(root, "bin", "pulumi");
    if (isProgram(binary)) {
        return checkVersion(binary);
    }
    const unreachable = await probe("https://get.pulumi.com/");
    if (unreachable !== undefined) {
        return { missing: `${missing}, and the CLI cannot be downloaded (${unreachable})` };
    }
    try {
        const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
        await withTimeout(PulumiCommand.install({ root }), downloadMilliseconds);
        return await checkVersion(binary);
    } catch (error) {
        return {
            missing: `${missing}, and the download of the CLI failed: ${(error as Error).message.split("\n")[0]}`,
        };
    }
}

async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`not finished after ${milliseconds / 1000} s`)), milliseconds);
    });
    return Promise.race([work, expired]).finally(() => clearTimeout(timer));
}

/** Whether the path is an executable file. */
function isProgram(file: string): boolean {
    return findOnPath(path.basename(file), path.dirname(path.resolve(file))) !== undefined;
}
