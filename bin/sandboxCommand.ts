import type { Command } from "commander";

/** The part of the sandbox's package that this command uses. */
interface SandboxPackage {
    runSandboxCommand(args: readonly string[], command: string): Promise<void>;
}

const entry = "pulumi-tidb-sandbox/command";

/**
 * Adds `sandbox`: loads the package pulumi-tidb-sandbox and passes all further arguments to it. The sandbox is a
 * separate package because it is only for trying and testing.
 */
export function addSandboxCommand(program: Command, load: () => SandboxPackage = loadSandbox): void {
    program
        .command("sandbox")
        .description("run a Kubernetes cluster with a simulated TiDB data plane on this machine; see sandbox --help")
        .argument("[arguments...]")
        .helpOption(false)
        .allowUnknownOption()
        .action(async (args: string[]) => {
            try {
                await load().runSandboxCommand(args, `${program.name()} sandbox`);
            } catch (error) {
                if (!isMissing(error)) {
                    throw error;
                }
                process.stderr.write(
                    "error: the sandbox is a separate package that is not installed here. Run: npm install --save-dev pulumi-tidb-sandbox\n",
                );
                process.exitCode = 1;
            }
        });
}

function loadSandbox(): SandboxPackage {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return require(entry) as SandboxPackage;
}

/** Whether the package itself is missing, rather than one of its dependencies. */
function isMissing(error: unknown): boolean {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "MODULE_NOT_FOUND" && message.startsWith(`Cannot find module '${entry}'`);
}
