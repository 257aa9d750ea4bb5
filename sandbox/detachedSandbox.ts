import { fork } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, signal } from "./controlPlane/processes";
import type { SandboxOptions } from "./sandbox";
import { keepFolder, ownerLives, readState, type SandboxState } from "./controlPlane/registry";

/** What the process that runs a detached sandbox gets. */
export type OwnerOptions = Pick<SandboxOptions, "nodes" | "backups" | "processes"> & { name: string; folder: string };

/** Options of a sandbox that runs in a separate process. */
export type DetachedOptions = OwnerOptions & { log: (line: string) => void };

/** A message from the process that runs a detached sandbox to the process that started it. */
export type OwnerMessage = { log: string } | { ready: true } | { error: string };

const endMilliseconds = 10_000;

/**
 * Starts a sandbox in a separate process, which keeps running when this one ends, and waits until the sandbox is ready.
 * If it does not become ready, throws with the error of that process.
 */
export async function startDetachedSandbox(options: DetachedOptions): Promise<SandboxState> {
    const { log, ...ofOwner } = options;
    const { name, folder } = options;
    const fromSources = __filename.endsWith(".ts");
    const child = fork(path.join(__dirname, "ownerProcess"), [JSON.stringify(ofOwner satisfies OwnerOptions)], {
        detached: true,
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        execArgv: fromSources ? ["--require", require.resolve("tsx/cjs")] : [],
    });
    const problem = await new Promise<string | undefined>((resolve) => {
        child.on("message", (message: OwnerMessage) => {
            if ("log" in message) {
                log(message.log);
            } else {
                resolve("error" in message ? message.error : undefined);
            }
        });
        child.once("exit", (code, killedBy) =>
            resolve(`the process that runs the sandbox ended: ${killedBy ?? `exit code ${code}`}`),
        );
    });
    if (problem !== undefined) {
        throw new Error(problem);
    }
    child.disconnect();
    child.unref();
    const state = readState(folder);
    if (state === undefined) {
        throw new Error(
            `the sandbox "${name}" stopped right after it became ready: check what ended process ${child.pid}`,
        );
    }
    return state;
}

/**
 * Ends a sandbox that another process runs, and waits until its process and its folder are gone.
 * @param keeps whether its folder stays, so that the next sandbox of its name continues. Default: false.
 */
export async function endSandbox(state: SandboxState, keeps = false): Promise<void> {
    if (keeps) {
        keepFolder(state.folder);
    }
    const gone = async (milliseconds: number): Promise<boolean> => {
        for (const deadline = Date.now() + milliseconds; Date.now() < deadline; await sleep(50)) {
            const left = isRunning(state.ownerProcessId) && ownerLives(state);
            if (!left && (keeps || !fs.existsSync(state.folder))) {
                return true;
            }
        }
        return false;
    };
    if (ownerLives(state)) {
        signal(state.ownerProcessId, "SIGTERM");
    }
    if (await gone(endMilliseconds)) {
        return;
    }
    if (ownerLives(state)) {
        signal(state.ownerProcessId, "SIGKILL"); // Its watchdog then cleans up.
    }
    if (!(await gone(endMilliseconds))) {
        throw new Error(
            `the sandbox "${state.name}" (process ${state.ownerProcessId}) did not end within ` +
                `${(2 * endMilliseconds) / 1000} s, or did not remove ${state.folder}: end the process and remove the folder by hand`,
        );
    }
}
