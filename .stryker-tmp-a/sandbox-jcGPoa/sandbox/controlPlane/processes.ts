import { execFileSync } from "node:child_process";
import * as fs from "node:fs";

/** Whether a process of that id is there. */
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
 * What tells one process of an id from a later one of the same id: the moment it was started, in the system's own
 * words. Undefined when there is no such process.
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
        return undefined; // ps ends with 1 when there is no such process.
    }
}

/** Sends a signal to a process that may be gone already. */
export function signal(processId: number, name: NodeJS.Signals): void {
    try {
        process.kill(processId, name);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
            throw error;
        }
    }
}

// Ended, but its parent has not taken note: to everybody else it is gone.
function isZombie(processId: number): boolean {
    return statOf(processId)?.[0] === "Z";
}

// The fields of proc(5) from the third on; the second, the name, may hold blanks and brackets.
function statOf(processId: number): string[] | undefined {
    try {
        const text = fs.readFileSync(`/proc/${processId}/stat`, "utf8");
        return text.slice(text.lastIndexOf(")") + 2).split(" ");
    } catch {
        return undefined; // No such process, or a system without /proc.
    }
}
