import { readFileSync } from "node:fs";
import type { CheckedManifest } from "../components/checkManifest";
import type { SpecProblem } from "../components/problem";

/** A command's output and exit code. */
export interface CommandResult {
    readonly output: string;
    readonly errors: string;
    readonly exitCode: number;
}

/**
 * Reads and checks a manifest, and makes a command's whole output from it before anything is printed, so the output is
 * never partial. If the manifest is invalid, the result has all of its errors and no output.
 */
export function outputOf(
    file: string,
    read: (file: string) => string,
    make: (checked: CheckedManifest) => string,
): CommandResult {
    const { checkManifest, ManifestError, parseManifest } = reading();
    const source = file === "-" ? "<standard input>" : file;
    let text: string;
    try {
        text = read(file);
    } catch (error) {
        return refused(`${source}: cannot be read: ${(error as Error).message}\n`);
    }
    try {
        const checked = checkManifest(parseManifest(text, source));
        return { output: make(checked), errors: warningText(checked.warnings), exitCode: 0 };
    } catch (error) {
        if (error instanceof ManifestError) {
            const warnings = error.problems.filter(({ severity }) => severity === "warning");
            return refused(`${warningText(warnings)}error: ${error.message}\n`);
        }
        throw error;
    }
}

/** Reads a file; `-` is standard input. */
export function readInput(file: string): string {
    return readFileSync(file === "-" ? 0 : file, "utf8");
}

/** Prints a result and sets the exit code. */
export function finish(result: CommandResult): void {
    process.stdout.on("error", endQuietly);
    process.stderr.write(result.errors);
    process.stdout.write(result.output);
    process.exitCode = result.exitCode;
}

/** Returns the result of a command that did nothing because of errors. */
export function refused(errors: string): CommandResult {
    return { output: "", errors, exitCode: 1 };
}

function warningText(warnings: readonly SpecProblem[]): string {
    return warnings.map(({ message }) => `warning: ${message}\n`).join("");
}

/** Loads what checking needs. Other commands start faster without it. */
function reading() {
    /* eslint-disable @typescript-eslint/no-require-imports */
    const { checkManifest } = require("../components/checkManifest") as typeof import("../components/checkManifest");
    const { parseManifest } = require("../components/parseManifest") as typeof import("../components/parseManifest");
    const { ManifestError } = require("../components/problem") as typeof import("../components/problem");
    /* eslint-enable @typescript-eslint/no-require-imports */
    return { checkManifest, parseManifest, ManifestError };
}

/** The reader of the output, such as `head`, may close it early. */
function endQuietly(error: NodeJS.ErrnoException): void {
    if (error.code !== "EPIPE") {
        throw error;
    }
}
