import * as fs from "node:fs/promises";
import * as path from "node:path";
import { goModulesFolder, programsFolder } from "../folders";
import { buildPrograms, findGo } from "./build";
import { withBuildLock } from "./buildLock";
import {
    cachedFileName,
    programCatalogue,
    releaseOf,
    type ModuleFolder,
    type Program,
    type ProgramName,
} from "./catalogue";
import { downloadProgram } from "./download";
import { findInstalled } from "./search";

/** Where each program of the control plane is on this machine. */
export type ProgramFiles = Record<ProgramName, string>;

/** How the programs are looked for. */
export interface ProvideOptions {
    log: (line: string) => void;
    environment?: Record<string, string | undefined>;
}

/** Environment variable that forbids downloads when it is `never`: programs are then found or built. */
const downloadVariable = "PULUMI_TIDB_DOWNLOAD";

/**
 * Has every program at hand: found on PATH at the right version, else in the cache, else downloaded as released, else
 * built with Go from the versions pinned in the `go.mod` files. Throws, saying what to install, when none is possible.
 */
export async function providePrograms(options: ProvideOptions): Promise<ProgramFiles> {
    const environment = options.environment ?? process.env;
    const folder = programsFolder(environment);
    const programs = await readCatalogue();
    const files: Partial<ProgramFiles> = {};
    const lookAround = async (search: boolean): Promise<Program[]> => {
        for (const program of programs.filter((one) => files[one.name] === undefined)) {
            files[program.name] =
                (search ? await findInstalled(program, environment.PATH, options.log) : undefined) ??
                (await existing(path.join(folder, cachedFileName(program, process.platform, process.arch))));
        }
        return programs.filter((program) => files[program.name] === undefined);
    };
    if ((await lookAround(true)).length > 0) {
        await withBuildLock(folder, options.log, async () => {
            const missing = await lookAround(false); // Another process may have made them while this one waited.
            if (missing.length > 0) {
                await fetchOrBuild(missing, folder, environment, options.log);
                await lookAround(false);
            }
        });
    }
    return files as ProgramFiles;
}

async function readCatalogue(): Promise<Program[]> {
    const folder = goModulesFolder();
    const read = (name: ModuleFolder): Promise<string> => fs.readFile(path.join(folder, name, "go.mod"), "utf8");
    return programCatalogue({
        etcd: await read("etcd"),
        kubernetes: await read("kubernetes"),
        kwok: await read("kwok"),
    });
}

async function fetchOrBuild(
    missing: Program[],
    folder: string,
    environment: Record<string, string | undefined>,
    log: (line: string) => void,
): Promise<void> {
    // This process holds the lock, so a workshop that is here was left by one that was killed.
    const left = (await fs.readdir(folder)).filter((name) => name.startsWith(".work-"));
    await Promise.all(left.map((name) => fs.rm(path.join(folder, name), { recursive: true, force: true })));
    const workshop = await fs.mkdtemp(path.join(folder, ".work-"));
    const keep = async (program: Program, file: string): Promise<void> =>
        fs.rename(file, path.join(folder, cachedFileName(program, process.platform, process.arch)));
    try {
        log(`needed and not here yet: ${missing.map((program) => `${program.name} ${program.version}`).join(", ")}`);
        const attempts = await Promise.all(
            missing.map(async (program) => {
                const problem = await tryDownload(program, workshop, environment, log, keep);
                return problem === undefined ? undefined : { program, problem };
            }),
        );
        const failed = attempts.filter((attempt) => attempt !== undefined);
        if (failed.length === 0) {
            return;
        }
        log(`no download: ${failed[0].problem}`);
        const remaining = failed.map((attempt) => attempt.program);
        if (findGo(environment.PATH) === undefined) {
            throw new Error(whatToInstall(remaining, failed[0].problem));
        }
        log("building with Go instead; on two cores this takes about six minutes, once");
        for (const moduleFolder of new Set(remaining.map((program) => program.moduleFolder))) {
            const programs = remaining.filter((program) => program.moduleFolder === moduleFolder);
            const started = Date.now();
            const built = await buildPrograms({
                programs,
                goModules: goModulesFolder(),
                outputFolder: workshop,
                log,
                searchPath: environment.PATH,
            });
            await Promise.all(programs.map((program, index) => keep(program, built[index])));
            const seconds = Math.round((Date.now() - started) / 1000);
            log(`built ${programs.map((program) => program.name).join(", ")} in ${seconds} s`);
        }
    } finally {
        await fs.rm(workshop, { recursive: true, force: true });
    }
}

async function tryDownload(
    program: Program,
    workshop: string,
    environment: Record<string, string | undefined>,
    log: (line: string) => void,
    keep: (program: Program, file: string) => Promise<void>,
): Promise<string | undefined> {
    if (environment[downloadVariable] === "never") {
        return `${downloadVariable} is "never"`;
    }
    const release = releaseOf(program, process.platform, process.arch);
    if (release === undefined) {
        return `${program.name} is not released for ${process.platform}`;
    }
    try {
        await keep(program, await downloadProgram(program, release, workshop, log));
        return undefined;
    } catch (error) {
        return (error as Error).message;
    }
}

/** What a user can do when programs are missing and nothing can bring them. */
function whatToInstall(missing: Program[], problem: string): string {
    const names = missing.map((program) => `${program.name} ${program.version}`).join(", ");
    return (
        `the sandbox needs ${names}: not on PATH, not in the cache, and not to be downloaded (${problem}); ` +
        "there is no `go` on PATH to build them with either. Install Go 1.26 or later (https://go.dev/dl/), " +
        "or allow the download, or put these programs on PATH"
    );
}

async function existing(file: string): Promise<string | undefined> {
    try {
        await fs.access(file, fs.constants.X_OK);
        return file;
    } catch {
        return undefined; // Not in the cache: it is fetched or built next.
    }
}
