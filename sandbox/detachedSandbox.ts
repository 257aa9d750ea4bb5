import { fork } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, signal } from "./controlPlane/processes";
import { ownerLives, readState, type SandboxState } from "./controlPlane/registry";

/** What a sandbox in a process of its own is like. */
export interface DetachedOptions {
    name: string;
    folder: string;
    nodes?: number;
    log: (line: string) => void;
}

/** What the process that runs a detached sandbox tells the one that started it. */
export type OwnerMessage = { log: string } | { ready: true } | { error: string };

const endMilliseconds = 10_000;

/**
 * Starts a sandbox in a process of its own, which goes on when this one ends, and waits until it is ready. Throws with
 * that process's own words when it does not get ready.
 */
export async function startDetachedSandbox(options: DetachedOptions): Promise<SandboxState> {
    const { name, folder, nodes, log } = options;
    const fromSources = __filename.endsWith(".ts");
    const child = fork(path.join(__dirname, "ownerProcess"), [JSON.stringify({ name, folder, nodes })], {
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
            resolve(`the process that was to run it ended: ${killedBy ?? `exit code ${code}`}`),
        );
    });
    if (problem !== undefined) {
        throw new Error(problem);
    }
    child.disconnect();
    child.unref();
    const state = readState(folder);
    if (state === undefined) {
        throw new Error(`the sandbox "${name}" was ready and is gone again: see who ended process ${child.pid}`);
    }
    return state;
}

/** Ends a sandbox that another process runs, and waits until nothing of it is left. */
export async function endSandbox(state: SandboxState): Promise<void> {
    const gone = async (milliseconds: number): Promise<boolean> => {
        for (const deadline = Date.now() + milliseconds; Date.now() < deadline; await sleep(50)) {
            const left = isRunning(state.ownerProcessId) && ownerLives(state);
            if (!left && !fs.existsSync(state.folder)) {
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
        signal(state.ownerProcessId, "SIGKILL"); // Its watchdog does the rest.
    }
    if (!(await gone(endMilliseconds))) {
        throw new Error(
            `the sandbox "${state.name}" (process ${state.ownerProcessId}) did not end within ` +
                `${(2 * endMilliseconds) / 1000} s, or left ${state.folder}: end it by hand`,
        );
    }
}
