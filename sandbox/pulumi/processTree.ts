import { execFileSync } from "node:child_process";
import { isRunning, signal } from "../controlPlane/processes";

/** Process ids, each with the id of its parent. */
export type ProcessTable = { pid: number; parent: number }[];

/** All processes of this machine, as `ps` lists them. */
export function readProcessTable(): ProcessTable {
    const text = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
    return text
        .split("\n")
        .map((line) => line.trim().split(/\s+/).map(Number))
        .filter((numbers) => numbers.length === 2)
        .map(([pid = 0, parent = 0]) => ({ pid, parent }));
}

/** A process and all its descendants, the process first. */
export function treeOf(root: number, table: ProcessTable): number[] {
    const found = [root];
    for (let index = 0; index < found.length; index++) {
        found.push(
            ...table.filter(({ parent, pid }) => parent === found[index] && !found.includes(pid)).map(({ pid }) => pid),
        );
    }
    return found;
}

/**
 * Sends SIGKILL to a process and all its descendants. Plugins run in separate process groups, which a signal to the
 * group does not reach, so descendants are found by their parents. All are stopped first, so none can start another
 * process in the meantime.
 */
export function killTree(root: number): void {
    killAll(() => treeOf(root, readProcessTable()));
}

/** Sends SIGKILL to all descendants of this process, as `killTree` does. */
export function killDescendants(): void {
    // `ps` itself is a child of this process while it lists the processes, and has ended when the list is read.
    killAll(() => treeOf(process.pid, readProcessTable()).slice(1));
}

function killAll(list: () => number[]): void {
    let known: number[] = [];
    for (;;) {
        const added = list().filter((pid) => !known.includes(pid) && isRunning(pid));
        if (added.length === 0) {
            break;
        }
        added.forEach((pid) => signal(pid, "SIGSTOP"));
        known = [...known, ...added];
    }
    known.forEach((pid) => signal(pid, "SIGKILL"));
}
