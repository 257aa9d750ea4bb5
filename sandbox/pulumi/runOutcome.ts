import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { readEventLog } from "./eventLog";
import { type PulumiOptions, type PulumiRun } from "./types";

/** Collects what a run prints and the events that it logs. */
export interface RunRecord {
    /** The file for the run's events. */
    readonly eventLog: string;
    /** Takes a line that the run printed. */
    print(line: string): void;
    /** @returns the result of the run, which has ended */
    outcome(exitCode: number | null): PulumiRun;
    /** Removes the file. */
    remove(): void;
}

/** @returns the record of a run that begins now */
export function recordRun({ onLine }: PulumiOptions): RunRecord {
    const started = Date.now();
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-run-"));
    const eventLog = path.join(folder, "events.jsonl");
    const lines: string[] = [];
    return {
        eventLog,
        print: (line) => {
            lines.push(line);
            onLine?.(line);
        },
        outcome: (exitCode) => ({
            ok: exitCode === 0,
            exitCode,
            output: lines.join("\n"),
            ...readEventLog(existsSync(eventLog) ? readFileSync(eventLog, "utf8") : ""),
            milliseconds: Date.now() - started,
        }),
        remove: () => rmSync(folder, { recursive: true, force: true }),
    };
}

/** @returns the environment of a run: this process's, with what differs for the run */
export function runEnvironment(
    { environment, pluginFolders = [] }: PulumiOptions,
    ofEngine: Record<string, string | undefined> = {},
): NodeJS.ProcessEnv {
    const merged = { ...process.env, ...ofEngine, ...environment };
    return { ...merged, PATH: [merged.PATH ?? "", ...pluginFolders].join(path.delimiter) };
}
