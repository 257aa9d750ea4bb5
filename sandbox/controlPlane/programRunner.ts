import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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
    /** Another one after a restart. */
    readonly processId: number;
    /** Resolves when the program ends for whatever reason, except for a restart. */
    ended: Promise<ProgramEnd>;
    /** Undefined while the program runs. */
    end: ProgramEnd | undefined;
    /** Kills the program at once: none of its data is kept. Resolves when it has ended. */
    stop(): Promise<void>;
    /** Kills the program, and starts it again with the same arguments after a while. Its data on disk is kept. */
    restart(downMilliseconds: number): Promise<void>;
}

const linesShown = 12;

/**
 * Starts a program of the control plane. Its process id is written to disk before it runs, so the watchdog knows every
 * program that may be running. Its output goes to a log file, so the program never blocks on a busy owner.
 */
export function runProgram(name: ProgramName, file: string, args: string[], layout: Layout): RunningProgram {
    const record = path.join(layout.processIds, name);
    const logFile = path.join(layout.logs, `${name}.log`);
    const launch = (): ChildProcess & { pid: number } => {
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
        if (child.pid === undefined) {
            throw new Error(
                "cannot start /bin/sh, which starts the sandbox's programs; check that this system has a shell",
            );
        }
        child.unref();
        return child as ChildProcess & { pid: number };
    };
    const exitOf = (one: ChildProcess): Promise<string> =>
        new Promise((resolve) =>
            one.once("exit", (code, killedBy) => {
                fs.rmSync(record, { force: true });
                resolve(killedBy === null ? `exit code ${code}` : killedBy);
            }),
        );
    let child = launch();
    let exit = exitOf(child);
    let restarted: Promise<void> | undefined;
    const kill = async (): Promise<void> => {
        child.ref();
        signal(child.pid, "SIGKILL");
        await exit;
    };
    const untilEnd = async (): Promise<ProgramEnd> => {
        for (;;) {
            const how = await exit;
            if (restarted === undefined) {
                running.end = { name, how, lastLines: lastLinesOf(logFile) };
                return running.end;
            }
            await restarted;
        }
    };
    const running: RunningProgram = {
        name,
        get processId() {
            return child.pid;
        },
        end: undefined,
        ended: Promise.resolve().then(untilEnd),
        stop: async () => {
            await restarted;
            if (running.end === undefined) {
                await kill();
                await running.ended;
            }
        },
        restart: async (downMilliseconds) => {
            restarted = (async () => {
                await kill();
                await sleep(downMilliseconds);
                child = launch();
                exit = exitOf(child);
            })();
            await restarted;
            restarted = undefined;
        },
    };
    return running;
}

/** Returns the last lines of a log, or none if it is empty. */
export function lastLinesOf(file: string, count: number = linesShown): string[] {
    if (!fs.existsSync(file)) {
        return [];
    }
    return fs.readFileSync(file, "utf8").trimEnd().split("\n").slice(-count);
}
