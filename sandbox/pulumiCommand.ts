import { type Command, Option } from "commander";
import * as path from "node:path";
import { createInterface } from "node:readline/promises";
import { usableSandbox } from "./chooseSandbox";
import { sandboxesFolder } from "./controlPlane/folders";
import { listSandboxes, type SandboxState } from "./controlPlane/registry";
import { listenForInterrupt } from "./engine/interrupt";
import { assertOnlyCluster, type OnlyCluster } from "./engine/kubernetes/onlyCluster";
import { clusterSettings } from "./engine/kubernetes/kubeconfig";
import { collectConfig, type Operation, runOperation } from "./engine/operation";
import { readConfig, readProject } from "./engine/project";
import { unusedKubeconfig, writeRunKubeconfig } from "./runKubeconfig";
import { SandboxNameOption } from "./sandboxNameOption";
import { newStartFailures } from "./dataPlane/startFailures";

interface PulumiFlags {
    stack: string;
    sandbox?: string;
    config: Record<string, string>;
    diff?: boolean;
    yes?: boolean;
    skipPreview?: boolean;
}

/** What each operation does, for the help. */
const descriptions: Readonly<Record<Operation, string>> = {
    preview: "show what `up` would do",
    up: "deploy the program into the sandbox, after a preview and a confirmation",
    destroy: "delete all resources of the stack, after a preview and a confirmation",
    refresh: "read the resources of the sandbox into the stack's state",
};

/**
 * Adds `pulumi`: runs a Pulumi program in a sandbox with the sandbox's own engine.
 *
 * @param report Runs the work, prints its error and sets the exit code.
 */
export function addPulumiCommand(sandbox: Command, report: (work: () => Promise<void>) => Promise<void>): void {
    const pulumi = sandbox
        .command("pulumi")
        .description("run a Pulumi program in a sandbox without the Pulumi CLI, to try it; never for a real cluster")
        .helpCommand("help [command]", "print the help of a command")
        .addHelpText(
            "after",
            `
The sandbox's own engine runs the program. It works only in the sandbox: a program that leads to another cluster is refused.
It is not the Pulumi CLI, which you need for a real cluster. The README of pulumi-tidb-sandbox lists what it does not support.
The stack's state is in the folder pulumi-state of the sandbox, and is deleted with the sandbox.`,
        );
    for (const operation of ["preview", "up", "destroy", "refresh"] as const) {
        const command = pulumi
            .command(operation)
            .description(descriptions[operation])
            .argument("[folder]", "folder with Pulumi.yaml", ".")
            .addOption(
                new SandboxNameOption(
                    "--sandbox <name>",
                    "name of the sandbox; default: the only one, or of several the one that KUBECONFIG names",
                ),
            )
            .option("-s, --stack <name>", "name of the stack; its configuration is in Pulumi.<name>.yaml", "dev")
            .addOption(
                new Option("-c, --config <key=value>", "configuration value for this run; may be given more than once")
                    .argParser(collectConfig)
                    .default({}, "none"),
            );
        if (operation !== "refresh") {
            command.option("--diff", "show the properties that change");
        }
        if (operation !== "preview") {
            command.option("-y, --yes", "do not ask for confirmation; required without a terminal");
        }
        if (operation === "up" || operation === "destroy") {
            command.option("-f, --skip-preview", "skip the preview and the confirmation");
        }
        command.action((folder: string, flags: PulumiFlags) =>
            report(() => run(operation, folder, flags, sandbox.name())),
        );
    }
}

async function run(operation: Operation, folder: string, flags: PulumiFlags, command: string): Promise<void> {
    const states = await listSandboxes(sandboxesFolder());
    const { KUBECONFIG: exported } = process.env;
    const sandbox = usableSandbox(states, flags.sandbox, command, exported);
    const asks = operation !== "preview" && !flags.yes && !flags.skipPreview;
    if (asks && !(process.stdin.isTTY && process.stdout.isTTY)) {
        throw new Error(`there is no terminal to ask for confirmation: pass --yes to carry out ${operation}`);
    }
    const print = (line: string): void => console.log(line);
    const title = `the sandbox "${sandbox.name}"`;
    print(`This is the sandbox's own engine, for trying, not the Pulumi CLI. It works only in ${title}.`);
    const unused = unusedKubeconfig(exported, sandbox);
    if (unused !== undefined) {
        print(`It does not use KUBECONFIG=${unused}: nothing there is read or changed.`);
    }
    const own = writeRunKubeconfig(sandbox);
    // A second Ctrl-C ends the process at once.
    process.once("exit", own.remove);
    try {
        // The program, the gates and the Kubernetes provider find the cluster by this variable.
        process.env.KUBECONFIG = own.file;
        const only = { title, server: own.server, certificateAuthority: own.certificateAuthority };
        await assertConfigurationInSandbox(only, folder, flags);
        const failures = newStartFailures(sandbox.folder);
        await runConfined(operation, folder, flags, { only, state: stateFolder(sandbox), asks, print, failures });
    } finally {
        own.remove();
        process.off("exit", own.remove);
    }
}

/** What a run needs beside the user's flags. */
interface Confined {
    only: OnlyCluster;
    /** The folder that holds the state. */
    state: string;
    /** Whether the user is asked for confirmation. */
    asks: boolean;
    print: (line: string) => void;
    /** What the sandbox newly says of pods that do not start. */
    failures: () => string[];
}

async function runConfined(
    operation: Operation,
    folder: string,
    flags: PulumiFlags,
    { only, state, asks, print, failures }: Confined,
): Promise<void> {
    const tellFailures = () => failures().forEach((failure) => print(`The sandbox says: ${failure}`));
    const telling = setInterval(tellFailures, 1_000);
    const interrupt = listenForInterrupt(print);
    try {
        const ok = await runOperation(operation, {
            program: folder,
            stack: flags.stack,
            state,
            config: flags.config,
            diff: flags.diff,
            skipPreview: flags.skipPreview,
            environment: process.env,
            print,
            only,
            interrupt: interrupt.signal,
            confirm: asks ? () => confirm(operation) : undefined,
        });
        process.exitCode = ok ? 0 : 1;
    } finally {
        interrupt.release();
        clearInterval(telling);
        tellFailures();
    }
}

/** Where the stacks' states of a sandbox are kept. They are useless without the sandbox, and are deleted with it. */
function stateFolder({ folder }: SandboxState): string {
    return path.join(folder, "pulumi-state");
}

/** Refuses `kubernetes:kubeconfig` and `kubernetes:context` of another cluster before the program runs. */
async function assertConfigurationInSandbox(only: OnlyCluster, folder: string, flags: PulumiFlags): Promise<void> {
    const project = readProject(folder);
    const config = readConfig(project, flags.stack, flags.config);
    const settings = clusterSettings({}, config, process.env);
    await assertOnlyCluster(only, `the configuration of the stack ${flags.stack}`, settings, project.folder);
}

/** Asks for confirmation on the terminal. Only `yes` confirms; the end of the input declines. */
async function confirm(operation: Operation): Promise<boolean> {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    try {
        const answer = await Promise.race([
            terminal.question(`Carry out ${operation}? Only "yes" is accepted: `),
            closed,
        ]);
        if (answer.trim() === "yes") {
            return true;
        }
        console.log(`${operation} was not confirmed: nothing was changed`);
        return false;
    } finally {
        terminal.close();
    }
}
