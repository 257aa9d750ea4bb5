import { execFileSync } from "node:child_process";
import * as fs from "node:fs";

/** Whether a process with this id is running. */
export function isRunning(processId: number): boolean {
    if (!Number.isInteger(processId) || processId <= 0) {
        return false;
    }
    try {
        process.kill(processId, 0);
    } catch (error) {
        return (error as NodeJS.ErrnoException).code === "EPERM";
    }
    return !isZombie(processId);
}

/**
 * The start time of a process, in the operating system's own format. It distinguishes a process from a later one with
 * the same id. Undefined if there is no such process.
 */
export function startMark(processId: number): string | undefined {
    const fields = statOf(processId);
    if (fields !== undefined) {
        return fields[19]; // Field 22 of proc(5): start time in clock ticks after boot.
    }
    if (fs.existsSync("/proc/self/stat")) {
        return undefined;
    }
    try {
        const text = execFileSync("ps", ["-o", "lstart=", "-p", String(processId)], { encoding: "utf8" }).trim();
        return text === "" ? undefined : text;
    } catch {
        return undefined; // ps exits with 1 if there is no such process.
    }
}

/** Sends a signal to a process that may have ended already. */
export function signal(processId: number, name: NodeJS.Signals): void {
    try {
        process.kill(processId, name);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
            throw error;
        }
    }
}

// The process has ended but its parent has not collected its exit status. It counts as ended.
function isZombie(processId: number): boolean {
    return statOf(processId)?.[0] === "Z";
}

// Returns the fields of proc(5) from the third on. The second, the name, may contain spaces and parentheses.
function statOf(processId: number): string[] | undefined {
    try {
        const text = fs.readFileSync(`/proc/${processId}/stat`, "utf8");
        return text.slice(text.lastIndexOf(")") + 2).split(" ");
    } catch {
        return undefined; // There is no such process, or the system has no /proc.
    }
}
