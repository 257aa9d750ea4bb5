import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { isAcceptableVersion, reportedVersion, type Program } from "./catalogue";

const run = promisify(execFile);

/** The first executable file of this name in the folders of a `PATH`. */
export function findOnPath(name: string, searchPath: string | undefined): string | undefined {
    for (const folder of (searchPath ?? "").split(path.delimiter).filter((entry) => entry !== "")) {
        const file = path.join(folder, name);
        try {
            fs.accessSync(file, fs.constants.X_OK);
        } catch {
            continue; // The file is missing or not executable. The next folder may have it.
        }
        if (fs.statSync(file).isFile()) {
            return file;
        }
    }
    return undefined;
}

/** The version that a program reports. Undefined if it does not run or reports none. */
async function versionOf(file: string): Promise<string | undefined> {
    try {
        const { stdout, stderr } = await run(file, ["--version"], { timeout: 5000 });
        return reportedVersion(stdout + stderr);
    } catch {
        return undefined; // The caller logs that this file is not usable and tries the next source.
    }
}

/** Finds a program on PATH at a usable version. Logs a program with an unusable version. */
export async function findInstalled(
    program: Program,
    searchPath: string | undefined,
    log: (line: string) => void,
): Promise<string | undefined> {
    const file = findOnPath(program.name, searchPath);
    if (file === undefined) {
        return undefined;
    }
    const version = await versionOf(file);
    if (isAcceptableVersion(program, version)) {
        return file;
    }
    log(`${file} is not used: its version is ${version ?? "unknown"}, expected ${program.version}`);
    return undefined;
}
