import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BackupBucket } from "../s3/backupBucket";
import { layoutOf } from "./layout";
import { makeFolder } from "./makeFolder";
import { isRunning, signal, startMark } from "./processes";

/** The state of a sandbox, as stored in its folder. */
export interface SandboxState {
    name: string;
    folder: string;
    /** The path of the kubeconfig. The file exists once `ready` is true. */
    kubeconfig: string;
    /** The process that runs the sandbox. When it ends, the sandbox ends. */
    ownerProcessId: number;
    /** Distinguishes the owner from a later process with the same id. */
    ownerStartMark: string | undefined;
    createdAt: string;
    /** The command line of the program that runs the sandbox for itself, such as a test. Undefined for `sandbox start`. */
    program?: string;
    /** The number of nodes. Undefined in a sandbox of a version that did not record it. */
    nodes?: number;
    /** Where its Backups go, if it was started for backups too. */
    backups?: BackupBucket;
    /** The number of the network of the pods that run as processes. */
    network?: number;
    /** The folders with the programs of the pods that run as processes. */
    binaries?: string;
    /** Whether it continues with the files of one that was stopped with `--keep`. */
    isResumed?: boolean;
    /** Whether it was ended in good order, though the process that ran it may still live. */
    hasEnded?: boolean;
    /** Whether booting is finished. */
    ready: boolean;
    server?: string;
    /** The process ids of its programs. */
    processes?: Record<string, number>;
    /** What failed after the sandbox became ready. */
    broken?: string;
}

const namePattern = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Throws if the name is not valid for a folder and a Kubernetes context. */
export function checkSandboxName(name: string): void {
    if (!namePattern.test(name)) {
        throw new Error(
            `"${name}" is not a valid sandbox name: use up to 40 lower-case letters, digits and dashes, ` +
                "beginning and ending with a letter or digit",
        );
    }
}

/** Returns a name that no other sandbox has. */
export function generatedName(): string {
    return `sandbox-${randomBytes(4).toString("hex")}`;
}

/**
 * Claims a folder for a sandbox of this process. `program` is its command line if it runs the sandbox for itself. First removes what a dead owner left there. Throws if a running
 * process owns the folder.
 */
export async function claimFolder(name: string, folder: string, program?: string): Promise<SandboxState> {
    const state: SandboxState = {
        name,
        program,
        folder,
        kubeconfig: layoutOf(folder).kubeconfig,
        ownerProcessId: process.pid,
        ownerStartMark: startMark(process.pid),
        createdAt: new Date().toISOString(),
        ready: false,
    };
    // The folder is filled first and then renamed into place, so no other process ever sees it without an owner.
    const filled = `${folder}.new-${process.pid}-${randomBytes(3).toString("hex")}`;
    makeFolder(filled, 0o700);
    try {
        checkSpace(filled);
        writeJson(layoutOf(filled).state, state);
    } catch (error) {
        fs.rmSync(filled, { recursive: true, force: true }); // The disk is full.
        throw error;
    }
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
        if (present !== undefined && !ownerLives(present) && isKept(present)) {
            fs.rmSync(filled, { recursive: true, force: true });
            const { nodes, network, binaries } = present;
            const resumed = { ...state, nodes, network, binaries, isResumed: true };
            takeKept(resumed);
            return resumed;
        }
        if (present === undefined || ownerLives(present)) {
            fs.rmSync(filled, { recursive: true, force: true });
            throw new Error(occupied(name, folder, present));
        }
        await sweep(present);
    }
}

/** Has a sandbox's folder stay when the sandbox ends. */
export function keepFolder(folder: string): void {
    fs.writeFileSync(layoutOf(folder).kept, "");
}

/** Has a kept sandbox's folder go when the sandbox ends. */
export function releaseKept(folder: string): void {
    fs.rmSync(layoutOf(folder).kept, { force: true });
}

/**
 * Becomes the owner of a folder that was kept. It stays kept until `releaseKept`, so a start that fails loses nothing.
 * @throws if another process is faster
 */
function takeKept(state: SandboxState): void {
    const { kept } = layoutOf(state.folder);
    const mine = `${kept}-${state.ownerProcessId}-${state.ownerStartMark}`;
    const free = keptMarks(state.folder).find((mark) => {
        const [, processId, startedAt] = path.basename(mark).split("-");
        return processId === undefined || startMark(Number(processId)) !== startedAt;
    });
    try {
        fs.renameSync(free ?? kept, mine); // Of two processes, one succeeds.
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") {
            throw new Error(occupied(state.name, state.folder, readState(state.folder)));
        }
        throw error;
    }
    saveState(state);
    fs.renameSync(mine, kept);
}

/** The files that say that a folder is kept: `kept`, or that of a process that takes it. */
function keptMarks(folder: string): string[] {
    const { kept } = layoutOf(folder);
    const name = path.basename(kept);
    const files = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    return files.filter((file) => file === name || file.startsWith(`${name}-`)).map((file) => path.join(folder, file));
}

/** The sandboxes in the given folder that ended and were kept, by name. */
export function keptSandboxes(sandboxes: string): SandboxState[] {
    return statesIn(sandboxes).filter((state) => !ownerLives(state) && isKept(state));
}

function isKept({ folder }: SandboxState): boolean {
    return keptMarks(folder).length > 0;
}

/** Space that etcd needs to start: it reserves two files of 64 MB for its log. */
const neededBytes = 160_000_000;

function checkSpace(folder: string): void {
    const { bavail, bsize } = fs.statfsSync(folder);
    if (bavail * bsize < neededBytes) {
        const [free, needed] = [bavail * bsize, neededBytes].map((bytes) => Math.floor(bytes / 1_000_000));
        throw new Error(
            `the disk of ${path.dirname(folder)} has ${free} MB left, and a sandbox needs ${needed} MB: free some space, or set PULUMI_TIDB_CACHE to a folder on another disk`,
        );
    }
}

function occupied(name: string, folder: string, present: SandboxState | undefined): string {
    return present === undefined
        ? `${folder} is not empty and does not belong to a sandbox: choose another folder, or empty it`
        : `a sandbox named "${name}" already exists (process ${present.ownerProcessId}): ` +
              `use it, choose another name, or stop it with \`npx pulumi-tidb sandbox stop --name ${name}\``;
}

/** Writes a sandbox's state into its folder, atomically. */
export function saveState(state: SandboxState): void {
    writeJson(layoutOf(state.folder).state, state);
}

/** Reads a sandbox's state from its folder. Undefined if the folder has none. */
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

/** Whether the process that runs a sandbox is alive, and is not a later process with the same id. */
export function ownerLives(state: SandboxState): boolean {
    return (
        !state.hasEnded && isRunning(state.ownerProcessId) && startMark(state.ownerProcessId) === state.ownerStartMark
    );
}

/** Lists all sandboxes in the given folder, by name. Also removes what dead owners left. */
export async function listSandboxes(sandboxes: string): Promise<SandboxState[]> {
    const dead = statesIn(sandboxes).filter((state) => !ownerLives(state) && !isKept(state));
    await Promise.all(dead.map(sweep));
    return runningSandboxes(sandboxes);
}

/** Lists all sandboxes in the given folder, by name. Changes nothing. */
export function runningSandboxes(sandboxes: string): SandboxState[] {
    const running = statesIn(sandboxes).filter(ownerLives);
    return running.sort((a, b) => a.name.localeCompare(b.name));
}

function statesIn(sandboxes: string): SandboxState[] {
    if (!fs.existsSync(sandboxes)) {
        return [];
    }
    const states = fs.readdirSync(sandboxes).map((name) => readState(path.join(sandboxes, name)));
    return states.filter((state) => state !== undefined);
}

/**
 * Removes what a dead owner left. Usually that is nothing, because the watchdog removed it. Programs are identified by
 * the folder in their command lines, so a process that merely reuses one of their ids is left alone.
 */
export async function sweep(state: SandboxState): Promise<void> {
    const gone = `${state.folder}.gone-${process.pid}-${randomBytes(3).toString("hex")}`;
    try {
        fs.renameSync(state.folder, gone);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") {
            return; // The watchdog or another process was faster.
        }
        throw error;
    }
    for (const processId of recordedProcesses(layoutOf(gone).processIds)) {
        if (commandLine(processId).includes(state.folder)) {
            signal(processId, "SIGKILL");
        }
    }
    await sleep(50); // Killed programs may still be writing.
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
        return ""; // The process is gone, or the system has no /proc. In that case only the watchdog ends the programs.
    }
}

function writeJson(file: string, content: object): void {
    const fresh = `${file}.new`;
    fs.writeFileSync(fresh, JSON.stringify(content, undefined, 4) + "\n");
    fs.renameSync(fresh, file);
}
