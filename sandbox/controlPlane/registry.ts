import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { layoutOf } from "./layout";
import { isRunning, signal, startMark } from "./processes";

/** What is known of a sandbox by its folder. */
export interface SandboxState {
    name: string;
    folder: string;
    /** Path of the kubeconfig; it is there when `ready`. */
    kubeconfig: string;
    /** The process that runs it: when that one is gone, so is the sandbox. */
    ownerProcessId: number;
    /** Tells the owner from a later process of the same id. */
    ownerStartMark: string | undefined;
    createdAt: string;
    /** Whether it finished booting. */
    ready: boolean;
    server?: string;
    /** Process ids of its programs. */
    processes?: Record<string, number>;
    /** What went wrong since it was ready. */
    broken?: string;
}

const namePattern = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Throws when a name will not do for a folder and a Kubernetes context. */
export function checkSandboxName(name: string): void {
    if (!namePattern.test(name)) {
        throw new Error(
            `"${name}" cannot be a sandbox's name: use up to 40 lower-case letters, digits and dashes, ` +
                "beginning and ending with a letter or digit",
        );
    }
}

/** A name that no other sandbox has. */
export function generatedName(): string {
    return `sandbox-${randomBytes(4).toString("hex")}`;
}

/**
 * Takes a folder for a sandbox of this process. What a dead owner left there is swept first. Throws when a living one
 * holds it.
 */
export async function claimFolder(name: string, folder: string): Promise<SandboxState> {
    const state: SandboxState = {
        name,
        folder,
        kubeconfig: layoutOf(folder).kubeconfig,
        ownerProcessId: process.pid,
        ownerStartMark: startMark(process.pid),
        createdAt: new Date().toISOString(),
        ready: false,
    };
    // Filled first and then renamed into place: no other process ever sees a folder without an owner.
    const filled = `${folder}.new-${process.pid}-${randomBytes(3).toString("hex")}`;
    fs.mkdirSync(filled, { recursive: true, mode: 0o700 });
    writeJson(layoutOf(filled).state, state);
    for (;;) {
        try {
            fs.renameSync(filled, folder);
            return state;
        } catch (error) {
            if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) {
                throw error;
            }
        }
        const present = readState(folder);
        if (present === undefined || ownerLives(present)) {
            fs.rmSync(filled, { recursive: true, force: true });
            throw new Error(occupied(name, folder, present));
        }
        await sweep(present);
    }
}

function occupied(name: string, folder: string, present: SandboxState | undefined): string {
    return present === undefined
        ? `${folder} is not a sandbox's folder and not empty: choose another, or empty it`
        : `a sandbox named "${name}" is there already (process ${present.ownerProcessId}): ` +
              `use it, choose another name, or end it with \`pulumi-tidb sandbox stop --name ${name}\``;
}

/** Writes what is known of a sandbox into its folder, in one step. */
export function saveState(state: SandboxState): void {
    writeJson(layoutOf(state.folder).state, state);
}

/** What a folder says of its sandbox; undefined when it says nothing. */
export function readState(folder: string): SandboxState | undefined {
    try {
        return JSON.parse(fs.readFileSync(layoutOf(folder).state, "utf8")) as SandboxState;
    } catch (error) {
        if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) {
            return undefined;
        }
        throw error;
    }
}

/** Whether the process that runs a sandbox is alive, and is that process. */
export function ownerLives(state: SandboxState): boolean {
    return isRunning(state.ownerProcessId) && startMark(state.ownerProcessId) === state.ownerStartMark;
}

/** All sandboxes in a folder of sandboxes, by name. What dead owners left is swept on the way. */
export async function listSandboxes(sandboxes: string): Promise<SandboxState[]> {
    if (!fs.existsSync(sandboxes)) {
        return [];
    }
    const found = fs
        .readdirSync(sandboxes)
        .map((name) => readState(path.join(sandboxes, name)))
        .filter((state) => state !== undefined);
    const living = found.filter(ownerLives);
    await Promise.all(found.filter((state) => !ownerLives(state)).map(sweep));
    return living.sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * Removes what a dead owner left: usually nothing, since the watchdog did. Its programs are known by the folder in their
 * command lines, so that a process that merely got one of their ids is left alone.
 */
async function sweep(state: SandboxState): Promise<void> {
    const gone = `${state.folder}.gone-${process.pid}-${randomBytes(3).toString("hex")}`;
    try {
        fs.renameSync(state.folder, gone);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") {
            return; // The watchdog, or another process, was faster.
        }
        throw error;
    }
    for (const processId of recordedProcesses(layoutOf(gone).processIds)) {
        if (commandLine(processId).includes(state.folder)) {
            signal(processId, "SIGKILL");
        }
    }
    await sleep(50); // What was killed may still be writing.
    fs.rmSync(gone, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
}

function recordedProcesses(folder: string): number[] {
    if (!fs.existsSync(folder)) {
        return [];
    }
    return fs.readdirSync(folder).map((name) => Number(fs.readFileSync(path.join(folder, name), "utf8")));
}

function commandLine(processId: number): string {
    try {
        return fs.readFileSync(`/proc/${processId}/cmdline`, "utf8");
    } catch {
        return ""; // Gone, or a system without /proc: then the watchdog alone ends the programs.
    }
}

function writeJson(file: string, content: object): void {
    const fresh = `${file}.new`;
    fs.writeFileSync(fresh, JSON.stringify(content, undefined, 4) + "\n");
    fs.renameSync(fresh, file);
}
