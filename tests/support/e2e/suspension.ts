import { execFileSync } from "node:child_process";
import { signal, startMark } from "../../../sandbox/controlPlane/processes";
import { readProcessTable, treeOf } from "../../../sandbox/pulumi/processTree";
import type { StartedRun } from "pulumi-tidb-sandbox/pulumi";

/** What of a run is suspended: all of its processes, as on a laptop that is closed, or those that run the gates alone. */
export type Suspended = "the whole run" | "the gates' process";

/** The processes of a run, which can be suspended and continued. */
export interface Suspension {
    suspend(): void;
    continue(): void;
}

/** Of the command line of the process in which Pulumi runs dynamic providers, and with them the gates. */
const gatesProgram = "cmd/dynamic-provider";

interface KnownProcess {
    pid: number;
    /** Another process may have the id by the time it is continued. */
    mark: string | undefined;
    runsGates: boolean;
}

/**
 * Finds the processes of a run, which takes a moment that a test does not have at the step it waits for.
 * @throws Error where none of them runs the gates
 */
export function suspensionOf(run: StartedRun, what: Suspended): Suspension {
    const known = processesOf(run);
    const gates = known.filter(({ runsGates }) => runsGates);
    if (gates.length === 0) {
        throw new Error(
            `no process of run ${run.pid} has ${gatesProgram} in its command line: its gates do not run yet`,
        );
    }
    const others = what === "the whole run" ? known.filter(({ runsGates }) => !runsGates) : [];
    // What acts on the cluster comes first: a moment later it may be at another step.
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
