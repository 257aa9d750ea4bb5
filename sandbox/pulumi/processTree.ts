import { execFileSync } from "node:child_process";
import { signal } from "../controlPlane/processes";

/** Process ids with those of their parents. */
export type ProcessTable = { pid: number; parent: number }[];

/** The processes of this machine, as `ps` lists them. */
export function readProcessTable(): ProcessTable {
    const text = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
    return text
        .split("\n")
        .map((line) => line.trim().split(/\s+/).map(Number))
        .filter((numbers) => numbers.length === 2)
        .map(([pid = 0, parent = 0]) => ({ pid, parent }));
}

/** A process and everything that it started, however deep, the process first. */
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
 * SIGKILL to a process and all that it started. Plugins are in process groups of their own, so that a signal to the group
 * does not reach them; they are found by their parents. All are stopped first, so that none can start another meanwhile.
 */
export function killTree(root: number): void {
    let known: number[] = [];
    for (;;) {
        const tree = treeOf(root, readProcessTable());
        const added = tree.filter((pid) => !known.includes(pid));
        if (added.length === 0) {
            break;
        }
        added.forEach((pid) => signal(pid, "SIGSTOP"));
        known = [...known, ...added];
    }
    known.forEach((pid) => signal(pid, "SIGKILL"));
}
