import { Command, InvalidArgumentError, Option } from "commander";
import * as path from "node:path";
import { describeBackups } from "./backups";
import { chooseSandboxes, runningSandbox, type StartOptions, stoppedWords, whichOfSeveral } from "./chooseSandbox";
import { defaultNodes } from "./controlPlane";
import { sandboxesFolder } from "./controlPlane/folders";
import { providePrograms, provideS3Program } from "./controlPlane/programs/provide";
import { checkSandboxName, keptSandboxes, listSandboxes, type SandboxState, sweep } from "./controlPlane/registry";
import { endSandbox, startDetachedSandbox } from "./detachedSandbox";
import { failureText } from "./failureText";
import { addNodeCommand } from "./nodeCommand";
import { addPulumiCommand } from "./pulumiCommand";
import { SandboxNameOption } from "./sandboxNameOption";

const defaultName = "default";

type OutputFormat = "text" | "json";

/**
 * Runs the command `pulumi-tidb sandbox` with the given arguments. Prints errors and sets the exit code of the process
 * to 1.
 *
 * @param command How the user runs this command, for the help and for commands in messages.
 */
export async function runSandboxCommand(args: readonly string[], command?: string): Promise<void> {
    await sandboxCommand(command).parseAsync(args, { from: "user" });
}

/** The command `pulumi-tidb sandbox start | list | stop | node | pulumi`. */
export function sandboxCommand(command = "pulumi-tidb sandbox"): Command {
    const sandbox = new Command(command)
        .description("run a Kubernetes cluster with a simulated TiDB data plane on this machine")
        .helpOption("-h, --help", "print this help")
        .helpCommand("help [command]", "print the help of a command")
        .showHelpAfterError("Run with --help to see the commands and options.")
        .showSuggestionAfterError();
    sandbox
        .command("start")
        .description("start a sandbox in the background and wait until it is ready")
        .option("--name <name>", "name of the sandbox", defaultName)
        .option("--nodes <count>", `number of nodes, spread over three zones (default: ${defaultNodes})`, wholeNumber)
        .option(
            "--backups",
            "start what Backups need too: an S3 server with a bucket, and recorders in the places of BR, tikv-ctl and rclone",
        )
        .option(
            "--processes <folders>",
            'run PD, TiKV, TiDB and the others as processes, from the programs in these folders, such as ~/.tiup/components or "$PATH" (on Linux)',
        )
        .action((options: StartOptions) => reportFailure(() => start(options, command)));
    sandbox
        .command("list")
        .description("list the sandboxes on this machine")
        .addOption(outputOption())
        .action((options: { output: OutputFormat }) => reportFailure(() => list(options, command)));
    sandbox
        .command("stop")
        .description("stop a sandbox and delete its files")
        .addOption(
            new SandboxNameOption(
                "--name <name>",
                "name of the sandbox; default: the only one, or of several the one that KUBECONFIG names",
            ),
        )
        .option("--all", `stop all sandboxes that "start" started`)
        .option(
            "--keep",
            'keep the files of a sandbox with processes: "start" with its name continues with the cluster and its data',
        )
        .addHelpText(
            "after",
            `
Programs such as tests and the demo have sandboxes of their own, which they end themselves. Only --name stops one of those.`,
        )
        .action((options: StopOptions) => reportFailure(() => stop(options, command)));
    addNodeCommand(sandbox, command, reportFailure);
    addPulumiCommand(sandbox, reportFailure);
    return sandbox;
}

async function start({ name, nodes, backups, processes }: StartOptions, command: string): Promise<void> {
    checkSandboxName(name);
    const running = runningSandbox(
        await listSandboxes(sandboxesFolder()),
        { name, nodes, backups, processes },
        command,
    );
    if (running !== undefined) {
        print(`The sandbox "${name}" is already running.`, ...nextCommands(running, command));
        await printWhich();
        return;
    }
    const log = (line: string): void => console.error(line);
    await providePrograms({ log });
    if (backups) {
        await provideS3Program({ log });
    }
    const folder = path.join(sandboxesFolder(), name);
    const started = Date.now();
    const state = await startDetachedSandbox({ name, folder, nodes, backups, processes, log });
    print(
        `The sandbox "${name}" is ready after ${((Date.now() - started) / 1000).toFixed(1)} s.`,
        ...nextCommands(state, command),
    );
    await printWhich();
}

/** Says which of several sandboxes commands use. */
async function printWhich(states?: readonly SandboxState[]): Promise<void> {
    const words = whichOfSeveral(states ?? (await listSandboxes(sandboxesFolder())), process.env.KUBECONFIG);
    print(...(words === "" ? [] : ["", words]));
}

/** Commands of pulumi-tidb that print data accept `-o`. */
function outputOption(): Option {
    return new Option("-o, --output <format>", "format of the list; text: a table; json: an array")
        .choices(["text", "json"] satisfies OutputFormat[])
        .default("text" satisfies OutputFormat);
}

async function list({ output }: { output: OutputFormat }, command: string): Promise<void> {
    const states = await listSandboxes(sandboxesFolder());
    const kept = keptSandboxes(sandboxesFolder());
    if (output === "json") {
        print(JSON.stringify(states, undefined, 4));
        return;
    }
    const keptLines = kept.map(
        (state) =>
            `The sandbox "${state.name}" is stopped and kept. Continue with: ${command} start --name ${state.name}; delete with: ${command} stop --name ${state.name}`,
    );
    if (states.length === 0) {
        print(`No sandbox is running. Start one with: ${command} start`, ...keptLines);
        return;
    }
    const now = Date.now();
    const rows = states.map((state) => statusRow(state, now));
    print(...table([["NAME", "STATUS", "STARTED BY", "PROCESS", "AGE", "KUBECONFIG"], ...rows]), ...keptLines);
    await printWhich(states);
}

interface StopOptions {
    name?: string;
    all?: boolean;
    keep?: boolean;
}

async function stop({ name, all, keep = false }: StopOptions, command: string): Promise<void> {
    const states = await listSandboxes(sandboxesFolder());
    const kept = keptSandboxes(sandboxesFolder()).find((state) => state.name === name);
    if (kept !== undefined && !keep) {
        await sweep(kept);
        print(`Deleted the files of the sandbox "${kept.name}", which was stopped before.`);
        return;
    }
    const chosen = chooseSandboxes(states, name, all ?? false, process.env.KUBECONFIG);
    const simulated = keep ? chosen.find(({ binaries }) => binaries === undefined) : undefined;
    if (simulated !== undefined) {
        throw new Error(
            `--keep: the data of the sandbox "${simulated.name}" is simulated and ends with it; expected one that was started with --processes`,
        );
    }
    await Promise.all(chosen.map((state) => endSandbox(state, keep)));
    print(...stoppedWords(states, chosen, name));
    if (name !== undefined) {
        return;
    }
    if (chosen.length === 0) {
        print("No sandbox that this command started is running.");
    }
    const others = states.filter((state) => state.program !== undefined);
    print(
        ...others.map(
            (state) =>
                `Left the sandbox "${state.name}" alone: ${state.program} (process ${state.ownerProcessId}) runs it and ends it. ` +
                `To stop it all the same: ${command} stop --name ${state.name}`,
        ),
    );
}

function statusRow(state: SandboxState, now: number): string[] {
    const word = state.broken !== undefined ? `broken: ${state.broken}` : state.ready ? "ready" : "starting";
    const by = state.program ?? "sandbox start";
    return [
        state.name,
        word,
        by,
        String(state.ownerProcessId),
        age(now - Date.parse(state.createdAt)),
        state.kubeconfig,
    ];
}

/** How long ago something was, as kubectl shows it. */
function age(milliseconds: number): string {
    const units = [
        [86_400_000, "d"],
        [3_600_000, "h"],
        [60_000, "m"],
    ] as const;
    const [size, unit] = units.find(([one]) => milliseconds >= one) ?? [1000, "s"];
    return `${Math.floor(Math.max(0, milliseconds) / size)}${unit}`;
}

function nextCommands(state: SandboxState, command: string): string[] {
    return [
        "",
        `    export KUBECONFIG=${state.kubeconfig}`,
        "    pulumi up            # deploys the program in this folder, with the Pulumi CLI; without the CLI:",
        `    ${command} pulumi up --sandbox ${state.name}`,
        ...(state.backups ? describeBackups(state.backups) : []),
        "",
        `    ${command} stop --name ${state.name}`,
    ];
}

function table(rows: string[][]): string[] {
    const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    return rows.map((row) =>
        row
            .map((cell, column) => cell.padEnd(widths[column]))
            .join("   ")
            .trimEnd(),
    );
}

function wholeNumber(text: string): number {
    if (!/^[1-9]\d{0,2}$/.test(text)) {
        throw new InvalidArgumentError("Expected a whole number from 1 to 999.");
    }
    return Number(text);
}

function print(...lines: string[]): void {
    for (const line of lines) {
        console.log(line);
    }
}

async function reportFailure(work: () => Promise<void>): Promise<void> {
    try {
        await work();
    } catch (error) {
        console.error(`error: ${failureText(error)}`);
        process.exitCode = 1;
    }
}
