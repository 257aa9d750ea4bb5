import { execFileSync } from "node:child_process";
import { signal, startMark } from "../../../sandbox/controlPlane/processes";
import { readProcessTable, treeOf } from "../../../sandbox/pulumi/processTree";
import type { StartedRun } from "pulumi-tidb-sandbox/pulumi";

/** Which processes of a run are suspended: all of them, as on a closed laptop, or only those that run the gates. */
export type Suspended = "the whole run" | "the gates' process";

/** The processes of a run, which can be suspended and resumed. */
export interface Suspension {
    suspend(): void;
    continue(): void;
}

/** Part of the command line of the process in which Pulumi runs dynamic providers, and therefore the gates. */
const gatesProgram = "cmd/dynamic-provider";

interface KnownProcess {
    pid: number;
    /** Distinguishes the process from a later one with the same id. */
    mark: string | undefined;
    runsGates: boolean;
}

/**
 * Finds the processes of a run. This is done in advance, because a test has no time for it at the step it waits for.
 * @throws Error if none of them runs the gates
 */
export function suspensionOf(run: StartedRun, what: Suspended): Suspension {
    const known = processesOf(run);
    const gates = known.filter(({ runsGates }) => runsGates);
    if (gates.length === 0) {
        throw new Error(
            `no process of run ${run.pid} has ${gatesProgram} in its command line, so its gates are not running yet`,
        );
    }
    const others = what === "the whole run" ? known.filter(({ runsGates }) => !runsGates) : [];
    // The processes that act on the cluster are stopped first; a moment later they may be at another step.
    const all = [...gates, ...others];
    const send = (name: "SIGSTOP" | "SIGCONT") =>
        all
            .filter(({ pid, mark }) => mark !== undefined && startMark(pid) === mark)
            .forEach(({ pid }) => signal(pid, name));
    return { suspend: () => send("SIGSTOP"), continue: () => send("SIGCONT") };
}

function processesOf(run: StartedRun): KnownProcess[] {
    const tree = treeOf(run.pid, readProcessTable());
    const text = execFileSync("ps", ["-o", "pid=,args=", "-p", tree.join(",")], { encoding: "utf8" });
    return text
        .split("\n")
        .map((line) => /^\s*(\d+) (.*)$/.exec(line))
        .filter((found) => found !== null)
        .map(([, pid, args]) => ({
            pid: Number(pid),
            mark: startMark(Number(pid)),
            runsGates: args.includes(gatesProgram),
        }));
}
