import { spawn } from "node:child_process";
import * as path from "node:path";
import { createInterface } from "node:readline";
import type { ModuleFolder, Program } from "./catalogue";
import { findOnPath } from "./search";

const reportEveryMilliseconds = 5000;
const linesKept = 25;

/** What to build, and where to put it. */
export interface BuildOptions {
    /** The programs to build. All must belong to one module folder. */
    programs: Program[];
    /** The folder that contains the folders with the `go.mod` files. */
    goModules: string;
    /** The folder for the built programs, each under its name. */
    outputFolder: string;
    log: (line: string) => void;
    /** The search path for `go`. Default: PATH. */
    searchPath?: string;
}

/** Returns the arguments of the `go build` that builds the given programs, which share a `go.mod`. */
export function buildArguments(programs: Program[], outputFolder: string): string[] {
    // An output path that ends in a separator is a folder. etcd's main package is named "v3", so it needs a file name.
    const output = programs.length === 1 ? path.join(outputFolder, programs[0].name) : outputFolder + path.sep;
    const linkerFlags = ["-s", "-w", ...programs[0].linkerFlags].join(" ");
    const packages = programs.map((program) => program.package);
    // The linker drops debug information (-w), so the compiler need not make it.
    const compilerFlags = "-gcflags=all=-dwarf=false";
    return ["build", "-v", "-trimpath", compilerFlags, "-ldflags", linkerFlags, "-o", output, ...packages];
}

/** The path of the Go command. Undefined if there is none on the search path. */
export function findGo(searchPath: string | undefined): string | undefined {
    return findOnPath("go", searchPath);
}

/** Builds programs from their Go modules. Throws with the last lines of Go's output if that fails. */
export async function buildPrograms(options: BuildOptions): Promise<string[]> {
    const { programs, log } = options;
    const go = findGo(options.searchPath ?? process.env.PATH);
    if (go === undefined) {
        throw new Error("found no `go` on PATH");
    }
    const names = programs.map((program) => `${program.name} ${program.version}`).join(", ");
    const folder = path.join(options.goModules, moduleFolderOf(programs));
    log(`building ${names}`);
    let fetched = 0;
    const dependencies = new Set(
        await withProgress(
            () => log(`building ${names}: ${fetched} modules fetched`),
            () =>
                runGo(go, ["list", "-deps", ...programs.map((program) => program.package)], folder, (line) => {
                    fetched += line.startsWith("go: downloading ") ? 1 : 0;
                }),
        ),
    );
    let compiled = 0;
    const began = Date.now();
    await withProgress(
        () => log(`building ${names}: ${progressInWords(compiled, dependencies.size, Date.now() - began)}`),
        () =>
            runGo(go, buildArguments(programs, options.outputFolder), folder, (line) => {
                compiled += dependencies.has(line) ? 1 : 0;
            }),
    );
    return programs.map((program) => path.join(options.outputFolder, program.name));
}

/** The pace of fewer packages says nothing of the others. */
const fewestForPace = 20;

/** @returns how far a build is, and how long it takes at most at its pace so far: packages that Go has cached are not compiled. */
export function progressInWords(compiled: number, of: number, milliseconds: number): string {
    const seconds = Math.ceil(((of - compiled) * milliseconds) / compiled / 1_000);
    const time = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
    const left = compiled < fewestForPace ? "" : `; at this pace up to ${time} more`;
    return `${compiled} of ${of} packages compiled, the others are cached or still to be compiled${left}`;
}

async function withProgress<T>(report: () => void, work: () => Promise<T>): Promise<T> {
    const timer = setInterval(report, reportEveryMilliseconds);
    try {
        return await work();
    } finally {
        clearInterval(timer);
    }
}

function moduleFolderOf(programs: Program[]): ModuleFolder {
    const folders = new Set(programs.map((program) => program.moduleFolder));
    if (folders.size !== 1) {
        throw new Error(
            `one build can build programs of one go.mod only, but the programs are in ${[...folders].join(" and ")}`,
        );
    }
    return programs[0].moduleFolder;
}

async function runGo(
    go: string,
    args: string[],
    folder: string,
    onErrorLine: (line: string) => void = () => undefined,
): Promise<string[]> {
    const child = spawn(go, args, {
        cwd: folder,
        // The pinned versions apply whatever the user's Go settings are. No C compiler is needed.
        env: { ...process.env, GOFLAGS: "-mod=readonly", GOWORK: "off", CGO_ENABLED: "0", PWD: folder },
        stdio: ["ignore", "pipe", "pipe"],
    });
    const printed: string[] = [];
    const lastLines: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => printed.push(line));
    createInterface({ input: child.stderr }).on("line", (line) => {
        lastLines.push(line);
        lastLines.splice(0, lastLines.length - linesKept);
        onErrorLine(line);
    });
    const code = await new Promise<number | null>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", resolve);
    });
    if (code !== 0) {
        throw new Error(
            `\`go ${args[0]}\` in ${folder} ended with ${code ?? "a signal"}; its last lines:\n` +
                lastLines.map((line) => `    ${line}`).join("\n"),
        );
    }
    return printed;
}
