import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { killTree } from "./processTree";
import { recordRun, runEnvironment } from "./runOutcome";
import { type PulumiOptions, type StartedRun } from "./types";

/** The process that runs an engine. */
export interface ChildCommand {
    file: string;
    /** Takes the path of the event log. */
    arguments: (eventLog: string) => string[];
    folder: string;
    environment: Record<string, string | undefined>;
}

/** Starts one of the two engines. The result is made from the lines it prints and from its event log. */
export function startChild(command: ChildCommand, options: PulumiOptions): StartedRun {
    const record = recordRun(options);
    const child = spawn(command.file, command.arguments(record.eventLog), {
        cwd: command.folder,
        env: runEnvironment(options, command.environment),
        stdio: ["ignore", "pipe", "pipe"],
        // The child gets its own process group: the process that started the run decides what a Ctrl-C in the terminal
        // does.
        detached: true,
    });
    createInterface({ input: child.stdout }).on("line", record.print);
    createInterface({ input: child.stderr }).on("line", record.print);

    const { pid } = child;
    const kill = (): void => {
        if (pid !== undefined && child.exitCode === null && child.signalCode === null) {
            killTree(pid);
        }
    };
    // The run must not outlive the test or demo that started it.
    process.once("exit", kill);

    const done = new Promise<number | null>((resolve, reject) => {
        child.on("error", (error) => reject(new Error(`cannot start ${command.file}: ${error.message}`)));
        child.on("close", resolve);
    })
        .then(record.outcome)
        .finally(() => {
            process.off("exit", kill);
            record.remove();
        });
    return { pid: pid ?? 0, kill, done };
}
