import { spawn } from "node:child_process";
import { type Readable } from "node:stream";

/** A process that a run needs: its program, or a provider. */
export interface RunProcess {
    readonly stdout: Readable;
    readonly stderr: Readable;
    /** `exit` comes when the process has ended, `close` when its output has been read too. */
    readonly on: ((event: "error", listener: (error: Error) => void) => unknown) &
        ((event: "exit" | "close", listener: (code: number | null) => void) => unknown);
    /** Ends it at once. */
    kill(): void;
}

/** A script for Node.js to run. */
export interface NodeScript {
    file: string;
    arguments: string[];
    /** The arguments of `node` itself. */
    nodeArguments: string[];
    folder: string;
    environment: NodeJS.ProcessEnv;
}

/** Starts a process for a script. */
export type StartNode = (script: NodeScript) => RunProcess;

/** Starts a new process. */
export const startNode: StartNode = ({ file, nodeArguments, ...script }) =>
    startProcess({ ...script, file: process.execPath, arguments: [...nodeArguments, file, ...script.arguments] });

/** Starts an executable. */
export function startProcess({ file, folder, ...command }: Omit<NodeScript, "nodeArguments">): RunProcess {
    const child = spawn(file, command.arguments, {
        cwd: folder,
        env: command.environment,
        stdio: ["ignore", "pipe", "pipe"],
        // A Ctrl-C in the terminal must not reach it: the engine decides what is stopped, and a step that was started must be able to finish.
        detached: true,
    });
    const { stdout, stderr } = child;
    return { stdout, stderr, on: child.on.bind(child) as RunProcess["on"], kill: () => void child.kill("SIGKILL") };
}
