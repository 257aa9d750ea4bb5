import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { isAcceptableVersion, reportedVersion, type Program } from "./catalogue";

const run = promisify(execFile);

/** The first executable file of that name in the folders of a `PATH`. */
export function findOnPath(name: string, searchPath: string | undefined): string | undefined {
    for (const folder of (searchPath ?? "").split(path.delimiter).filter((entry) => entry !== "")) {
        const file = path.join(folder, name);
        try {
            fs.accessSync(file, fs.constants.X_OK);
        } catch {
            continue; // Not there, or not ours to run: the next folder may have it.
        }
        if (fs.statSync(file).isFile()) {
            return file;
        }
    }
    return undefined;
}

/** What a program says of its version; undefined when it does not run or names none. */
async function versionOf(file: string): Promise<string | undefined> {
    try {
        const { stdout, stderr } = await run(file, ["--version"], { timeout: 5000 });
        return reportedVersion(stdout + stderr);
    } catch {
        return undefined; // The caller reports that this file will not do and goes on to the next source.
    }
}

/** A program on PATH at a version that will do; `log` hears of one that will not. */
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
    log(`${file} is ${version ?? "of no known version"}, wanted ${program.version}: not used`);
    return undefined;
}
