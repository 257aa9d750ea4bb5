#!/usr/bin/env node
import { Command } from "commander";
import { addConvertCommand } from "./convertCommand";
import { packageVersion } from "./packageVersion";
import { addRenderCommand } from "./renderCommand";
import { addSandboxCommand } from "./sandboxCommand";
import { addStopCommand } from "./stopCommand";

/** The command line: each command is a file beside this one. */
export function commandLine(): Command {
    const program = new Command("pulumi-tidb")
        .description("TiDB clusters on Kubernetes with Pulumi: what a cluster consists of, and a sandbox to try it in.")
        .version(packageVersion(), "-v, --version", "print the version")
        .helpOption("-h, --help", "print this help")
        .showHelpAfterError("Run with --help to see what there is.")
        .showSuggestionAfterError();
    addRenderCommand(program);
    addConvertCommand(program);
    addSandboxCommand(program);
    addStopCommand(program);
    return program;
}

if (require.main === module) {
    commandLine()
        .parseAsync()
        .catch((error: Error) => {
            // What a command foresees it says itself. This is a fault of the package: its users are shown no stack of it.
            console.error(`error: ${error.message}; this should not happen, please report it with the command`);
            process.exitCode = 1;
        });
}
