#!/usr/bin/env node
import { Command } from "commander";
import { collectConfig, type OperationSettings, runOperation } from "./operation";

/**
 * The sandbox's engine as a process of its own. It runs a Pulumi program for Node without the Pulumi CLI, for the demo and the
 * tests on machines where the CLI is not available. It does not replace Pulumi: use the CLI for anything that lasts.
 */
type Flags = Omit<OperationSettings, "environment" | "print" | "startNode" | "only" | "interrupt" | "confirm">;

/** The exit code of the real CLI when a run fails. */
const failed = 1;

const command = new Command("sandbox-engine").description(
    "Runs a Pulumi program for Node without the Pulumi CLI. A tool for the sandbox's tests and demo.",
);
for (const operation of ["preview", "up", "destroy", "refresh"] as const) {
    command
        .command(operation)
        .requiredOption("--program <folder>", "folder with Pulumi.yaml")
        .requiredOption("--stack <name>", "name of the stack")
        .requiredOption("--state <folder>", "folder that holds the state")
        .option("--config <key=value>", "configuration value; may be given more than once", collectConfig, {})
        .option("--diff", "show the properties that change")
        .option("--skip-preview", "skip the preview before the operation")
        .option("--event-log <file>", "file for the events of the run, as JSON lines")
        .action(async (flags: Flags) => {
            const print = (line: string): void => console.log(line);
            const ok = await runOperation(operation, { ...flags, environment: process.env, print });
            process.exitCode = ok ? 0 : failed;
        });
}
command.parseAsync().catch((error: Error) => {
    console.error(`error: ${error.message}`);
    process.exitCode = failed;
});
