import * as fs from "node:fs/promises";
import * as path from "node:path";
import { goModulesFolder, programsFolder } from "../folders";
import { buildPrograms, findGo } from "./build";
import { withBuildLock } from "./buildLock";
import {
    cachedFileName,
    type ControlPlaneProgram,
    programCatalogue,
    releaseOf,
    s3Program,
    type ModuleFolder,
    type Program,
    type ProgramName,
} from "./catalogue";
import { downloadProgram } from "./download";
import { findInstalled } from "./search";

/** The path of each program of the control plane on this machine. */
export type ProgramFiles = Record<ControlPlaneProgram, string>;

/** How to look for the programs. */
export interface ProvideOptions {
    log: (line: string) => void;
    environment?: Record<string, string | undefined>;
}

/** The environment variable that forbids downloads if it is `never`. Programs are then found or built. */
const downloadVariable = "PULUMI_TIDB_DOWNLOAD";

/** Gets every program of the control plane. Throws with instructions on what to install if that is not possible. */
export async function providePrograms(options: ProvideOptions): Promise<ProgramFiles> {
    return provide(await readCatalogue(), options);
}

/** Gets the server of S3, likewise. */
export async function provideS3Program(options: ProvideOptions): Promise<string> {
    return (await provide([s3Program(await readGoMod("versitygw"))], options)).versitygw;
}

/**
 * Gets each program: from PATH at the right version, otherwise from the cache, otherwise downloaded as a release,
 * otherwise built with Go from the versions pinned in the `go.mod` files. If none of these is possible, throws with
 * instructions on what to install.
 */
async function provide<Name extends ProgramName>(
    programs: Program<Name>[],
    options: ProvideOptions,
): Promise<Record<Name, string>> {
    const environment = options.environment ?? process.env;
    const folder = programsFolder(environment);
    const files: Partial<Record<Name, string>> = {};
    const findPrograms = async (search: boolean): Promise<Program[]> => {
        for (const program of programs.filter((one) => files[one.name] === undefined)) {
            files[program.name] =
                (search ? await findInstalled(program, environment.PATH, options.log) : undefined) ??
                (await existing(path.join(folder, cachedFileName(program, process.platform, process.arch))));
        }
        return programs.filter((program) => files[program.name] === undefined);
    };
    if ((await findPrograms(true)).length > 0) {
        await withBuildLock(folder, options.log, async () => {
            const missing = await findPrograms(false); // Another process may have provided them while this one waited.
            if (missing.length > 0) {
                await fetchOrBuild(missing, folder, environment, options.log);
                await findPrograms(false);
            }
        });
    }
    return files as Record<Name, string>;
}

function readGoMod(folder: ModuleFolder): Promise<string> {
    return fs.readFile(path.join(goModulesFolder(), folder, "go.mod"), "utf8");
}

async function readCatalogue(): Promise<Program<ControlPlaneProgram>[]> {
    return programCatalogue({
        etcd: await readGoMod("etcd"),
        kubernetes: await readGoMod("kubernetes"),
        kwok: await readGoMod("kwok"),
    });
}

async function fetchOrBuild(
    missing: Program[],
    folder: string,
    environment: Record<string, string | undefined>,
    log: (line: string) => void,
): Promise<void> {
    // This process holds the lock, so an existing work folder was left by a process that was killed.
    const left = (await fs.readdir(folder)).filter((name) => name.startsWith(".work-"));
    await Promise.all(left.map((name) => fs.rm(path.join(folder, name), { recursive: true, force: true })));
    const workFolder = await fs.mkdtemp(path.join(folder, ".work-"));
    const keep = async (program: Program, file: string): Promise<void> =>
        fs.rename(file, path.join(folder, cachedFileName(program, process.platform, process.arch)));
    try {
        log(
            `programs to download or build: ${missing.map((program) => `${program.name} ${program.version}`).join(", ")}`,
        );
        const attempts = await Promise.all(
            missing.map(async (program) => {
                const problem = await tryDownload(program, workFolder, environment, log, keep);
                return problem === undefined ? undefined : { program, problem };
            }),
        );
        const failed = attempts.filter((attempt) => attempt !== undefined);
        if (failed.length === 0) {
            return;
        }
        log(`cannot download: ${failed[0].problem}`);
        const remaining = failed.map((attempt) => attempt.program);
        if (findGo(environment.PATH) === undefined) {
            throw new Error(whatToInstall(remaining, failed[0].problem));
        }
        const names = remaining.map(({ name }) => name).join(", ");
        log(
            `building ${names} with Go instead. This is needed once and takes minutes, more on a busy machine: progress follows`,
        );
        for (const moduleFolder of new Set(remaining.map((program) => program.moduleFolder))) {
            const programs = remaining.filter((program) => program.moduleFolder === moduleFolder);
            const started = Date.now();
            const built = await buildPrograms({
                programs,
                goModules: goModulesFolder(),
                outputFolder: workFolder,
                log,
                searchPath: environment.PATH,
            });
            await Promise.all(programs.map((program, index) => keep(program, built[index])));
            const seconds = Math.round((Date.now() - started) / 1000);
            log(`built ${programs.map((program) => program.name).join(", ")} in ${seconds} s`);
        }
    } finally {
        await fs.rm(workFolder, { recursive: true, force: true });
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
        return `no release of ${program.name} for ${process.platform} is known`;
    }
    try {
        await keep(program, await downloadProgram(program, release, workshop, log));
        return undefined;
    } catch (error) {
        return (error as Error).message;
    }
}

/** What the user can do when programs are missing and can be neither downloaded nor built. */
function whatToInstall(missing: Program[], problem: string): string {
    const names = missing.map((program) => `${program.name} ${program.version}`).join(", ");
    return (
        `the sandbox needs ${names}: they are not on PATH, not in the cache, and cannot be downloaded (${problem}); ` +
        "they cannot be built either, because `go` is not on PATH. Install Go 1.26 or later (https://go.dev/dl/), " +
        "or allow the download, or put the programs on PATH"
    );
}

async function existing(file: string): Promise<string | undefined> {
    try {
        await fs.access(file, fs.constants.X_OK);
        return file;
    } catch {
        return undefined; // The program is not in the cache. It is downloaded or built next.
    }
}
