import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";
import axios from "axios";
import { findOnPath } from "../controlPlane/programs/search";
import { pluginProgram } from "../engine/plugins";

const run = promisify(execFile);

const probeMilliseconds = 4000;
const downloadMilliseconds = 3 * 60 * 1000;

/**
 * Installs the plugin of a package for the CLI unless it is present. Returns undefined on success, otherwise the
 * reason.
 */
export async function provideCliPlugin(
    binary: string,
    packageName: string,
    version: string,
): Promise<string | undefined> {
    const home = process.env.PULUMI_HOME || path.join(homedir(), ".pulumi");
    const isThere = existsSync(path.join(home, "plugins", `resource-${packageName}-v${version}`));
    const folders = [path.dirname(binary), process.env.PATH ?? ""].join(path.delimiter);
    if (isThere || findOnPath(pluginProgram(packageName), folders) !== undefined) {
        return undefined;
    }
    const unreachable = await probe("https://api.pulumi.com/");
    if (unreachable !== undefined) {
        return `its plugin for ${packageName} ${version} is not installed and cannot be downloaded (${unreachable})`;
    }
    try {
        const command = ["plugin", "install", "resource", packageName, version];
        await run(binary, command, { timeout: downloadMilliseconds });
        return undefined;
    } catch (error) {
        const [reason] = (error as Error).message.split("\n");
        return `its plugin for ${packageName} ${version} cannot be installed: ${reason}`;
    }
}

/** Returns undefined if the URL answers within a few seconds, otherwise the reason. */
export async function probe(url: string): Promise<string | undefined> {
    try {
        const signal = AbortSignal.timeout(probeMilliseconds);
        await axios.head(url, { signal, timeout: probeMilliseconds, validateStatus: (status) => status < 500 });
        return undefined;
    } catch (error) {
        return `${url}: ${(error as Error).message}`;
    }
}
