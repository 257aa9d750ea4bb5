import { statSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { type StartNode } from "./nodeProcess";
import { type Project } from "./project";

/** A program and its settings. */
export interface ProgramRun {
    project: Project;
    stack: string;
    /** `host:port` of the resource monitor, where the program registers its resources. */
    monitorAddress: string;
    /** `host:port` of the engine service, where the program sends its messages. */
    engineAddress: string;
    preview: boolean;
    environment: NodeJS.ProcessEnv;
    /** The stack's configuration, decrypted, by `<namespace>:<name>`. */
    config: Record<string, string>;
    /** The keys of `config` whose values are secret. */
    secretConfigKeys: string[];
    startNode: StartNode;
    /** Called with each line of standard output. */
    onOutput: (line: string) => void;
    /** Called with each line of standard error. */
    onError: (line: string) => void;
}

/** The exit code with which the SDK signals that it has already reported the error to the user. */
export const alreadyReported = 32;

/**
 * Runs a Node program in the same way as Pulumi's language host: with `@pulumi/pulumi/cmd/run` from the program's own
 * SDK, TypeScript through ts-node, and settings through the environment.
 */
export function runProgram(run: ProgramRun): { exitCode: Promise<number | null>; kill(): void } {
    const { project } = run;
    const main = path.resolve(project.folder, project.main ?? ".");
    const isFolder = statSync(main).isDirectory();
    const programFolder = isFolder ? main : path.dirname(main);
    const script = createRequire(path.join(programFolder, "package.json")).resolve("@pulumi/pulumi/cmd/run/index.js");
    const flags = {
        monitor: run.monitorAddress,
        engine: run.engineAddress,
        organization: "organization",
        project: project.name,
        "root-directory": project.folder,
        stack: run.stack,
        pwd: programFolder,
        parallel: "16",
    };
    const programArguments = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    const child = run.startNode({
        file: script,
        arguments: [...programArguments, ...(run.preview ? ["--dry-run"] : []), isFolder ? "." : path.basename(main)],
        nodeArguments: project.nodeArguments,
        folder: project.folder,
        environment: {
            ...run.environment,
            PULUMI_CONFIG: JSON.stringify(run.config),
            PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.secretConfigKeys),
            ...(project.typescript ? { PULUMI_NODEJS_TYPESCRIPT: "true" } : {}),
            ...(project.tsconfig === undefined ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: project.tsconfig }),
        },
    });
    createInterface({ input: child.stdout }).on("line", run.onOutput);
    createInterface({ input: child.stderr }).on("line", run.onError);
    const exitCode = new Promise<number | null>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", resolve);
    });
    return { exitCode, kill: () => child.kill() };
}
