#!/usr/bin/env node
import { Command } from "commander";
import { addApproveCommand } from "./approveCommand";
import { addCompletionCommand } from "./completionCommand";
import { addControllerCommand } from "./controllerCommand";
import { addConvertCommand } from "./convertCommand";
import { addDiagnoseCommand } from "./diagnoseCommand";
import { addHelpCommand } from "./helpCommand";
import { ownCommand } from "./ownCommand";
import { packageVersion } from "./packageVersion";
import { addPlanCommand } from "./planCommand";
import { addRenderCommand } from "./renderCommand";
import { addSandboxCommand } from "./sandboxCommand";
import { addStatusCommand } from "./statusCommand";
import { addStopCommand } from "./stopCommand";
import { addSweepCommand } from "./sweepCommand";
import { addTimelineCommand } from "./timelineCommand";

/**
 * Returns the command line. Each command has its own file in this folder.
 * @param name how the user starts it, for the help and for commands in messages.
 */
export function commandLine(name = "pulumi-tidb"): Command {
    const program = new Command(name)
        .description(
            "Tools for TiDB clusters on Kubernetes with Pulumi: see what a cluster consists of, and try it in a sandbox.",
        )
        .version(packageVersion(), "-v, --version", "print the version")
        .helpOption("-h, --help", "print this help")
        .showHelpAfterError("Run with --help for usage.")
        .showSuggestionAfterError();
    addRenderCommand(program);
    addPlanCommand(program);
    addStatusCommand(program);
    addDiagnoseCommand(program);
    addTimelineCommand(program);
    addConvertCommand(program);
    addSandboxCommand(program);
    addApproveCommand(program);
    addStopCommand(program);
    addSweepCommand(program);
    addControllerCommand(program);
    addCompletionCommand(program);
    addHelpCommand(program);
    return program;
}

/** Runs the command line of this process. */
export async function run(): Promise<void> {
    try {
        await commandLine(ownCommand()).parseAsync();
    } catch (error) {
        // Commands report the errors that they expect. Any other error is a bug, and its stack does not help users.
        console.error(`error: ${(error as Error).message}; this is a bug, please report it together with the command`);
        process.exitCode = 1;
    }
}

if (require.main === module) {
    void run();
}
