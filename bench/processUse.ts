import { readdirSync, readFileSync } from "node:fs";
import { sum } from "./statistics";

/** What a process and all processes that it started used. */
export interface ProcessUse {
    readonly cpuSeconds: number;
    /** The most that was resident at one time, in bytes. */
    readonly mostBytes: number;
    /** How many processes there were. */
    readonly processes: number;
}

interface Reading {
    readonly pid: number;
    readonly parent: number;
    readonly cpuSeconds: number;
    readonly bytes: number;
}

const everyMilliseconds = 50;
/** Linux gives programs these units, whatever the kernel's own clock. */
const ticksPerSecond = 100;
const pageBytes = 4096;

/**
 * Reads a process and its descendants from `/proc` until the returned function is called. A process that runs for less than 50 ms
 * may be missed, and so are the last 50 ms of each.
 */
export function watchProcesses(root: number): () => ProcessUse {
    const cpuSeconds = new Map<number, number>([[root, 0]]);
    let mostBytes = 0;
    const read = (): void => {
        const readings = readProcesses();
        const added = (): Reading | undefined =>
            readings.find(({ pid, parent }) => cpuSeconds.has(parent) && !cpuSeconds.has(pid));
        for (let found = added(); found !== undefined; found = added()) {
            cpuSeconds.set(found.pid, 0);
        }
        // A process whose parent has ended stays one of them.
        const own = readings.filter(({ pid }) => cpuSeconds.has(pid));
        own.forEach((one) => cpuSeconds.set(one.pid, one.cpuSeconds));
        mostBytes = Math.max(mostBytes, sum(own.map(({ bytes }) => bytes)));
    };
    const timer = setInterval(read, everyMilliseconds);
    return () => {
        clearInterval(timer);
        return { cpuSeconds: sum([...cpuSeconds.values()]), mostBytes, processes: cpuSeconds.size };
    };
}

function readProcesses(): Reading[] {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map(Number).flatMap((pid) => {
        const text = statOf(pid);
        if (text === undefined) {
            return [];
        }
        // The name in parentheses may contain spaces. The fields are those of proc(5), from `state`, the third, on.
        const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
        const field = (number: number): number => Number(fields[number - 3]);
        const cpuSeconds = (field(14) + field(15)) / ticksPerSecond;
        return { pid, parent: field(4), cpuSeconds, bytes: field(24) * pageBytes };
    });
}

/** @returns undefined if the process has ended. */
function statOf(pid: number): string | undefined {
    try {
        return readFileSync(`/proc/${pid}/stat`, "utf8");
    } catch (error) {
        if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) {
            return undefined;
        }
        throw error;
    }
}
