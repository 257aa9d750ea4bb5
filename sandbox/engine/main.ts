#!/usr/bin/env node
import { Command } from "commander";
import { display } from "./display";
import { combineReporters, eventLog } from "./events";
import { readConfig, readProject } from "./project";
import { runDestroy, type RunOptions, runRefresh, runUpdate } from "./run";
import { openState } from "./state";

/**
 * The sandbox's engine as a command. It runs a Pulumi program for Node without the Pulumi CLI, for the demo and the
 * tests on machines where the CLI is not available. It does not replace Pulumi: use the CLI for anything that lasts.
 */
type Operation = "preview" | "up" | "destroy" | "refresh";

interface Flags {
    program: string;
    stack: string;
    state: string;
    config: Record<string, string>;
    diff?: boolean;
    skipPreview?: boolean;
    eventLog?: string;
}

/** The exit code of the real CLI when a run fails. */
const failed = 1;

async function runOperation(operation: Operation, flags: Flags): Promise<boolean> {
    const project = readProject(flags.program);
    const config = readConfig(project, flags.stack, flags.config);
    const state = openState(
        {
            folder: flags.state,
            project: project.name,
            stack: flags.stack,
            passphrase: process.env.PULUMI_CONFIG_PASSPHRASE ?? "",
        },
        { lock: operation !== "preview" },
    );
    const print = (line: string): void => console.log(line);
    const report = combineReporters([
        display({ stack: flags.stack, operation, diff: flags.diff ?? false, print }),
        ...(flags.eventLog === undefined ? [] : [eventLog(flags.eventLog)]),
    ]);
    const options: RunOptions = { project, stack: flags.stack, state, config, environment: process.env, report };
    const previewFirst = operation !== "preview" && operation !== "refresh" && !flags.skipPreview;
    try {
        switch (operation) {
            case "preview":
                return await runUpdate(options, true);
            case "up":
                return (!previewFirst || (await runUpdate(options, true))) && (await runUpdate(options, false));
            case "destroy":
                return (!previewFirst || (await runDestroy(options, true))) && (await runDestroy(options, false));
            case "refresh":
                return await runRefresh(options);
        }
    } finally {
        state.unlock();
    }
}

function collectConfig(text: string, collected: Record<string, string>): Record<string, string> {
    const separator = text.indexOf("=");
    if (separator < 1) {
        throw new Error(`--config ${text}: expected KEY=VALUE`);
    }
    return { ...collected, [text.slice(0, separator)]: text.slice(separator + 1) };
}

const command = new Command("sandbox-engine").description(
    "Runs a Pulumi program for Node without the Pulumi CLI. A tool for the sandbox's tests and demo.",
);
for (const operation of ["preview", "up", "destroy", "refresh"] as const) {
    command
        .command(operation)
        .requiredOption("--program <folder>", "the folder with Pulumi.yaml")
        .requiredOption("--stack <name>", "the name of the stack")
        .requiredOption("--state <folder>", "the folder that holds the state")
        .option("--config <key=value>", "a configuration value; may be given more than once", collectConfig, {})
        .option("--diff", "show the properties that change")
        .option("--skip-preview", "skip the preview before the operation")
        .option("--event-log <file>", "write the events of the run to this file as JSON lines")
        .action(async (flags: Flags) => {
            process.exitCode = (await runOperation(operation, flags)) ? 0 : failed;
        });
}
command.parseAsync().catch((error: Error) => {
    console.error(`error: ${error.message}`);
    process.exitCode = failed;
});
