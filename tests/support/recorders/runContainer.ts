import { type ChildProcess, spawn } from "node:child_process";

/** How a container has ended. */
export interface ContainerRun {
    readonly code: number | null;
    readonly output: string;
}

/** What of a container is run. */
export interface PlayedContainer {
    readonly name: string;
    readonly args: string[];
    readonly env: { name: string; value?: string }[];
}

/** Where a container runs. */
interface ContainerOptions {
    /** What is mounted for what the containers of a Job leave each other. */
    readonly folder: string;
    /** A folder with the programs. */
    readonly programs: string;
    readonly variables?: Record<string, string>;
    /** Gets the process, to end it as kubelet would. */
    readonly started?: (process: ChildProcess) => void;
}

/** Runs a container as a process, as kubelet and the shell of an image would. */
export function runContainer(
    shell: string,
    { args, env }: PlayedContainer,
    { folder, programs, variables = {}, started = () => undefined }: ContainerOptions,
): Promise<ContainerRun> {
    const [script, ...rest] = args.map((argument) =>
        argument.replaceAll("$$", "$").replaceAll("/pulumi-tidb-run", folder),
    );
    const plain = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    return new Promise((resolve, reject) => {
        const child = spawn(shell, ["-c", script, ...rest], {
            env: { ...(Object.fromEntries(plain) as object), ...variables, PATH: `${programs}:${process.env.PATH}` },
            stdio: ["ignore", "pipe", "pipe"],
        });
        started(child);
        const parts: Buffer[] = [];
        child.stdout.on("data", (part: Buffer) => parts.push(part));
        child.stderr.on("data", (part: Buffer) => parts.push(part));
        child.on("error", reject);
        child.on("close", (code) => resolve({ code, output: Buffer.concat(parts).toString() }));
    });
}
