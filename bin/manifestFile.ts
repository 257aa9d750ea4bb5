import { readFileSync } from "node:fs";
import type { CheckedManifest } from "../components/checkManifest";
import type { ManifestText } from "../components/parseManifest";
import type { CheckedWork } from "./checkedClusters";
import type { CheckedInitializer } from "../components/initializer/checkInitializer";
import { fileProblem } from "../provider/cluster/fileProblem";

/** A command's output and exit code. */
export interface CommandResult {
    readonly output: string;
    readonly errors: string;
    readonly exitCode: number;
}

/** What to read of a file, and how strictly. */
export interface ManifestOptions {
    /** The only cluster to read, as `TidbCluster/NAME`. Default: all. */
    readonly only?: string;
    /** Whether warnings count as errors. Default: false. */
    readonly strict?: boolean;
    /** Whether several clusters are an error. Default: false. */
    readonly single?: boolean;
    /** Whether a program is made of the file: unknown fields of TidbClusters and TidbInitializers are left out, with a warning. Default: they are errors. */
    readonly converts?: boolean;
    /** Whether TidbInitializers, Backups, Restores, CompactBackups and BackupSchedules are taken, too. Default: each is ignored, with a warning. */
    readonly withWork?: boolean;
}

/**
 * Reads and checks the clusters of files, and makes a command's whole output from them before anything is printed, so the
 * output is never partial. If a cluster is invalid, the result has all errors of all clusters and no output.
 */
export function outputOf(
    files: readonly string[],
    read: (file: string) => string,
    make: (
        clusters: CheckedManifest[],
        initializers: CheckedInitializer[],
        work: CheckedWork[],
        ofText: readonly string[],
    ) => string,
    { only, strict = false, single = false, withWork = false, converts = false }: ManifestOptions = {},
): CommandResult {
    const { checkedClusters, shownWarnings } = checking();
    const texts: ManifestText[] = [];
    for (const file of files) {
        const source = file === "-" ? "<standard input>" : file;
        try {
            texts.push({ text: read(file), source });
        } catch (error) {
            return refused(`error: ${source}: cannot be read: ${fileProblem(error)}\n`);
        }
    }
    const { clusters, initializers, work, ofText, warnings, errors } = checkedClusters(texts, {
        only,
        single,
        withWork,
        converts,
    });
    const shown = [
        ...shownWarnings(warnings).map((message) => `${strict ? "error" : "warning"}: ${message}\n`),
        ...errors.map((message) => `error: ${message}\n`),
    ].join("");
    const isRefused = errors.length > 0 || (strict && warnings.length > 0);
    return isRefused
        ? refused(shown)
        : { output: make(clusters, initializers, work, ofText), errors: shown, exitCode: 0 };
}

/** Reads a file; `-` is standard input. */
export function readInput(file: string): string {
    return readFileSync(file === "-" ? 0 : file, "utf8");
}

/**
 * Prints a result and sets the exit code. Resolves once the output is written, or it is reported that it cannot be: a process
 * that exits earlier reports nothing.
 */
export async function finish(result: CommandResult): Promise<void> {
    process.exitCode = result.exitCode;
    process.stderr.write(result.errors);
    // The failed write reports it. Without a listener the process would end with a stack trace.
    process.stdout.on("error", () => undefined);
    const failure = await new Promise<Error | null | undefined>((resolve) =>
        process.stdout.write(result.output, resolve),
    );
    if (failure) {
        reportOutputFailure(failure);
    }
}

/** Returns the result of a command that did nothing because of errors. */
export function refused(errors: string): CommandResult {
    return { output: "", errors, exitCode: 1 };
}

/** Loads what checking needs. Other commands start faster without it. */
function checking() {
    /* eslint-disable @typescript-eslint/no-require-imports */
    const { checkedClusters } = require("./checkedClusters") as typeof import("./checkedClusters");
    const { shownWarnings } = require("../components/shownWarnings") as typeof import("../components/shownWarnings");
    /* eslint-enable @typescript-eslint/no-require-imports */
    return { checkedClusters, shownWarnings };
}

/** The reader of the output, such as `head`, may close it early. A file that takes the output may be on a full disk. */
function reportOutputFailure(error: NodeJS.ErrnoException): void {
    if (error.code !== "EPIPE") {
        process.stderr.write(`error: the output cannot be written: ${fileProblem(error)}\n`);
        process.exitCode = 1;
    }
}
