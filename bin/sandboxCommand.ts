import type { Command } from "commander";
import { isPublished } from "./packageVersion";

/** The part of the sandbox's package that our commands use. `command` is how the user runs `sandbox`. */
export interface SandboxPackage {
    /** Runs the command with the given arguments. */
    runSandboxCommand(args: readonly string[], command: string): Promise<void>;
    /** Returns the command with its commands and options. */
    sandboxCommand(command: string): Command;
}

const entry = "pulumi-tidb-sandbox/command";

const howToInstall = isPublished()
    ? "Run: npm install --save-dev pulumi-tidb-sandbox"
    : "It is not on a package registry yet: run npm pack --workspace sandbox in a clone of pulumi-tidb, then here: npm install --save-dev PATH, where PATH is the file that npm pack made";

/**
 * Adds `sandbox`: loads the package pulumi-tidb-sandbox and passes all further arguments to it. The sandbox is a
 * separate package because it is only for trying and testing.
 */
export function addSandboxCommand(program: Command, load?: () => SandboxPackage): void {
    program
        .command("sandbox")
        .description("run a Kubernetes cluster with a simulated TiDB data plane on this machine; see sandbox --help")
        .argument("[arguments...]")
        .helpOption(false)
        .allowUnknownOption()
        .action((args: string[]) =>
            withSandbox((sandbox) => sandbox.runSandboxCommand(args, `${program.name()} sandbox`), load),
        );
}

/** Loads the sandbox's package and uses it. If it is not installed, prints an error that says how to install it. */
export async function withSandbox(
    use: (sandbox: SandboxPackage) => unknown,
    load?: () => SandboxPackage,
): Promise<void> {
    const sandbox = installedSandbox(load);
    if (sandbox !== undefined) {
        await use(sandbox);
        return;
    }
    process.stderr.write(`error: the sandbox is a separate package that is not installed here. ${howToInstall}\n`);
    process.exitCode = 1;
}

/** Loads the sandbox's package; `undefined` if it is not installed. */
export function installedSandbox(load = loadSandbox): SandboxPackage | undefined {
    try {
        return load();
    } catch (error) {
        if (!isMissingSandbox(error)) {
            throw error;
        }
        return undefined;
    }
}

function loadSandbox(): SandboxPackage {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return require(entry) as SandboxPackage;
}

/** Whether the package itself is missing, rather than one of its dependencies. */
function isMissingSandbox(error: unknown): boolean {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "MODULE_NOT_FOUND" && message.startsWith(`Cannot find module '${entry}'`);
}
