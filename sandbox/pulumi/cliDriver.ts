import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { parse, stringify } from "yaml";
import { makeFolder } from "../controlPlane/makeFolder";
import { isRunning } from "../controlPlane/processes";
import { type Project, readProject } from "../engine/project";
import { startChild } from "./childRun";
import { provideCliPlugin } from "./cliPlugins";
import { type PulumiDriver, type PulumiOperation, type PulumiOptions } from "./types";

/** Runs programs with the real Pulumi CLI. The state is kept in files of the state folder. */
export function cliDriver(binary: string, why: string): PulumiDriver {
    const driver: PulumiDriver = {
        kind: "pulumi-cli",
        why,
        providePlugin: (packageName, version) => provideCliPlugin(binary, packageName, version),
        start(operation, options) {
            const project = readProject(options.program);
            const folder = path.resolve(options.stateFolder);
            const configFile = path.join(folder, `Pulumi.${options.stack}.yaml`);
            makeFolder(folder);
            // `stack init` and `cancel` run in the state folder, so they leave no files in the program's folder.
            copyFileSync(path.join(project.folder, "Pulumi.yaml"), path.join(folder, "Pulumi.yaml"));
            const preparation = preparationOf(folder, project, options.stack);
            writeConfig(configFile, project, options);
            return startChild(
                {
                    // The shell execs the CLI, so the child's process id is the CLI's.
                    file: "/bin/sh",
                    folder: project.folder,
                    environment: environmentOf(binary, folder),
                    arguments: (eventLog) => [
                        "-c",
                        `${preparation === undefined ? "" : `(cd "$1" && "$0" ${preparation} >&2) && `}shift; exec "$0" "$@"`,
                        binary,
                        folder,
                        ...operationArguments(operation, options),
                        ...["--stack", options.stack, "--config-file", configFile, "--event-log", eventLog],
                        ...["--non-interactive", "--color", "never"],
                    ],
                },
                options,
            );
        },
        run: (operation, options) => driver.start(operation, options).done,
    };
    return driver;
}

function operationArguments(operation: PulumiOperation, options: PulumiOptions): string[] {
    const diff = options.diff ? ["--diff"] : [];
    if (operation === "preview") {
        return ["preview", ...diff];
    }
    const skipPreview = options.skipPreview || operation === "refresh" ? ["--skip-preview"] : [];
    return [operation, "--yes", ...skipPreview, ...diff];
}

function environmentOf(binary: string, folder: string): Record<string, string> {
    return {
        // The CLI's language host and plugins are in the same folder.
        PATH: `${path.dirname(binary)}${path.delimiter}${process.env.PATH ?? ""}`,
        PULUMI_BACKEND_URL: `file://${folder}`,
        PULUMI_CONFIG_PASSPHRASE: process.env.PULUMI_CONFIG_PASSPHRASE ?? "",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        // The CLI accepts --event-log only with this variable.
        PULUMI_DEBUG_COMMANDS: "true",
        PULUMI_DISABLE_CI_DETECTION: "true",
        NO_COLOR: "1",
    };
}

/**
 * Returns the CLI command to run first: one that creates the stack, or one that unlocks it if the last run was killed.
 */
function preparationOf(folder: string, project: Project, stack: string): string | undefined {
    const state = path.join(folder, ".pulumi", "stacks", project.name, `${stack}.json`);
    if (!existsSync(state)) {
        return `stack init '${stack}' --no-select --non-interactive`;
    }
    return isLeftLocked(path.join(folder, ".pulumi", "locks"), stack)
        ? `cancel --stack '${stack}' --yes --non-interactive`
        : undefined;
}

/** Whether a run that has ended left its lock behind. If the run is still going, the CLI itself refuses the lock. */
function isLeftLocked(folder: string, stack: string): boolean {
    if (!existsSync(folder)) {
        return false;
    }
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const locks = files.filter((file) => file.endsWith(".json") && file.split(path.sep).includes(stack));
    return locks.some((file) => {
        const { pid } = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as { pid?: number };
        return !isRunning(pid ?? 0);
    });
}

/** Writes the configuration of this run. The secrets settings that `stack init` wrote are kept. */
function writeConfig(file: string, project: Project, options: PulumiOptions): void {
    const read = (from: string): Record<string, unknown> =>
        existsSync(from) ? ((parse(readFileSync(from, "utf8")) ?? {}) as Record<string, unknown>) : {};
    const committed = read(path.join(project.folder, `Pulumi.${options.stack}.yaml`));
    const given = Object.entries(options.config ?? {}).map(([key, value]) => [
        key.includes(":") ? key : `${project.name}:${key}`,
        value,
    ]);
    const config = { ...(committed.config as object | undefined), ...Object.fromEntries(given) };
    writeFileSync(file, stringify({ ...committed, ...read(file), config }));
}
