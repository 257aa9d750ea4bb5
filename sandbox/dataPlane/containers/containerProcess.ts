import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { constants } from "node:os";
import type { CommandLine } from "../jobs/commandLine";
import type { ContainerLog } from "./containerLog";

/** The exit code of a container whose command cannot be started, as containerd reports it. */
export const startErrorCode = 128;

/** A container's process. */
export interface ContainerProcess {
    /** Undefined if it could not be started. */
    processId: number | undefined;
    /** Resolves with the exit code as kubelet reports it: 128 and the number of the signal if one ended it. */
    ended: Promise<number>;
    /** Sends a signal to the process and to those that it started. */
    signal(name: NodeJS.Signals): void;
}

/** What a container's process gets. */
export interface ProcessOptions {
    environment: Readonly<Record<string, string>>;
    folder: string;
    /** Folders in which the program finds other programs. */
    path: string;
    log: ContainerLog;
    /** The file with the process id. A sandbox whose owner dies ends the processes that such files name. */
    record: string;
}

/** Runs a container's command as a process of this machine. Its id is on disk before it runs. */
export function startProcess(
    { file, args }: CommandLine,
    { environment, folder, path, log, record }: ProcessOptions,
): ContainerProcess {
    const child = spawn("/bin/sh", ["-c", 'echo $$ > "$1" && shift && exec "$@"', "sh", record, file, ...args], {
        detached: true,
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
        env: { PATH: path, HOME: folder, ...environment },
    });
    child.stdout.on("data", (part: Buffer) => log.write("stdout", part));
    child.stderr.on("data", (part: Buffer) => log.write("stderr", part));
    const ended = new Promise<number>((resolve) => {
        const end = (code: number): void => {
            fs.rmSync(record, { force: true });
            log.end();
            resolve(code);
        };
        child.once("error", (error) => {
            log.write("stderr", Buffer.from(`cannot start ${file}: ${error.message}\n`));
            end(startErrorCode);
        });
        child.once("close", (code, signal) => end(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
    });
    return {
        processId: child.pid,
        ended,
        signal: (name) => {
            // A process that did not start has no id, and 0 would be this process's own group.
            if (child.pid === undefined) {
                return;
            }
            try {
                process.kill(-child.pid, name);
            } catch (error) {
                if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
                    throw error;
                }
            }
        },
    };
}
