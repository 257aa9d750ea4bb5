import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Layout } from "./layout";
import type { ProgramName } from "./programs/catalogue";
import { signal } from "./processes";

/** How a program ended: with an exit code or by a signal. */
export interface ProgramEnd {
    name: ProgramName;
    how: string;
    lastLines: string[];
}

/** A program of the control plane that was started. */
export interface RunningProgram {
    name: ProgramName;
    processId: number;
    /** Resolves when the program ends for whatever reason. */
    ended: Promise<ProgramEnd>;
    /** Undefined while the program runs. */
    end: ProgramEnd | undefined;
    /** Kills the program at once: none of its data is kept. Resolves when it has ended. */
    stop(): Promise<void>;
}

const linesShown = 12;

/**
 * Starts a program of the control plane. Its process id is written to disk before it runs, so the watchdog knows every
 * program that may be running. Its output goes to a log file, so the program never blocks on a busy owner.
 */
export function runProgram(name: ProgramName, file: string, args: string[], layout: Layout): RunningProgram {
    const record = path.join(layout.processIds, name);
    const logFile = path.join(layout.logs, `${name}.log`);
    const log = fs.openSync(logFile, "a");
    const child = spawn("/bin/sh", ["-c", 'echo $$ > "$1" && shift && exec "$@"', "sh", record, file, ...args], {
        detached: true,
        cwd: layout.folder,
        stdio: ["ignore", log, log],
        // The user's own settings, in the environment or the home folder (KWOK reads ~/.kwok), must not affect a
        // sandbox.
        env: { ...process.env, KUBECONFIG: undefined, HOME: layout.folder },
    });
    fs.closeSync(log);
    const processId = child.pid;
    if (processId === undefined) {
        throw new Error(
            "cannot start /bin/sh, which starts the sandbox's programs; check that this system has a shell",
        );
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

/** Returns the last lines of a log, or none if it is empty. */
export function lastLinesOf(file: string, count: number = linesShown): string[] {
    if (!fs.existsSync(file)) {
        return [];
    }
    return fs.readFileSync(file, "utf8").trimEnd().split("\n").slice(-count);
}
