import type { Command } from "commander";

/** What the sandbox's package has for this command. */
interface SandboxPackage {
    runSandboxCommand(words: readonly string[]): Promise<void>;
}

const entry = "pulumi-tidb-sandbox/command";

/**
 * Adds `sandbox`: hands the words behind it to the package pulumi-tidb-sandbox, which is loaded only now. This package does
 * not carry it, because it is a tool for trying and testing.
 */
export function addSandboxCommand(program: Command, load: () => SandboxPackage = loadSandbox): void {
    program
        .command("sandbox")
        .description("a Kubernetes cluster with a simulated TiDB data plane, on this machine: see sandbox --help")
        .argument("[words...]")
        .helpOption(false)
        .allowUnknownOption()
        .action(async (words: string[]) => {
            try {
                await load().runSandboxCommand(words);
            } catch (error) {
                if (!isMissing(error)) {
                    throw error;
                }
                process.stderr.write(
                    "error: the sandbox is a package of its own, which is not installed here. Run: npm install --save-dev pulumi-tidb-sandbox\n",
                );
                process.exitCode = 1;
            }
        });
}

function loadSandbox(): SandboxPackage {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return require(entry) as SandboxPackage;
}

/** Whether the package itself is not there, and not something that it needs. */
function isMissing(error: unknown): boolean {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "MODULE_NOT_FOUND" && message.startsWith(`Cannot find module '${entry}'`);
}
