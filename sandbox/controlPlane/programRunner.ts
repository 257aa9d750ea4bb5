import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Layout } from "./layout";
import type { ProgramName } from "./programs/catalogue";
import { signal } from "./processes";

/** How a program ended: its exit code, or the signal. */
export interface ProgramEnd {
    name: ProgramName;
    how: string;
    lastLines: string[];
}

/** A program of the control plane that was started. */
export interface RunningProgram {
    name: ProgramName;
    processId: number;
    /** Resolves when the program ends, for whatever reason. */
    ended: Promise<ProgramEnd>;
    /** Undefined while it runs. */
    end: ProgramEnd | undefined;
    /** Ends it by its process id, at once, since nothing of it is kept; resolves when it is gone. */
    stop(): Promise<void>;
}

const linesShown = 12;

/**
 * Starts a program of the control plane. Its process id is on disk before it runs, so that the watchdog knows of every
 * program that can ever be there; its output goes to a log file, so that the owner's work does not hold it up.
 */
export function runProgram(name: ProgramName, file: string, words: string[], layout: Layout): RunningProgram {
    const record = path.join(layout.processIds, name);
    const logFile = path.join(layout.logs, `${name}.log`);
    const log = fs.openSync(logFile, "a");
    const child = spawn("/bin/sh", ["-c", 'echo $$ > "$1" && shift && exec "$@"', "sh", record, file, ...words], {
        detached: true,
        cwd: layout.folder,
        stdio: ["ignore", log, log],
        // Settings of the user's own, in the environment or at home (KWOK reads ~/.kwok), are not for a sandbox.
        env: { ...process.env, KUBECONFIG: undefined, HOME: layout.folder },
    });
    fs.closeSync(log);
    const processId = child.pid;
    if (processId === undefined) {
        throw new Error("cannot start /bin/sh, which starts the sandbox's programs: is there a shell on this system?");
    }
    const running: RunningProgram = {
        name,
        processId,
        end: undefined,
        ended: new Promise((resolve) => {
            child.once("exit", (code, killedBy) => {
                fs.rmSync(record, { force: true });
                running.end = {
                    name,
                    how: killedBy === null ? `exit code ${code}` : killedBy,
                    lastLines: lastLinesOf(logFile),
                };
                resolve(running.end);
            });
        }),
        stop: async () => {
            if (running.end !== undefined) {
                return;
            }
            child.ref();
            signal(processId, "SIGKILL");
            await running.ended;
        },
    };
    child.unref();
    return running;
}

/** The end of a log; empty when there is none. */
export function lastLinesOf(file: string, count: number = linesShown): string[] {
    if (!fs.existsSync(file)) {
        return [];
    }
    return fs.readFileSync(file, "utf8").trimEnd().split("\n").slice(-count);
}
