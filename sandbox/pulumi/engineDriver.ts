import { existsSync } from "node:fs";
import * as path from "node:path";
import { findOnPath } from "../controlPlane/programs/search";
import { pluginProgram } from "../engine/plugins";
import { startChild } from "./childRun";
import { runInOwnProcess } from "./ownProcessRun";
import { type PulumiDriver } from "./types";

/** Runs programs with the sandbox's engine. */
export function engineDriver(why: string): PulumiDriver {
    return {
        kind: "sandbox-engine",
        why,
        providePlugin: async (packageName) => {
            const program = pluginProgram(packageName);
            return findOnPath(program, process.env.PATH) === undefined ? `${program} is not on PATH` : undefined;
        },
        start: (operation, options) =>
            startChild(
                {
                    file: process.execPath,
                    folder: options.program,
                    environment: {},
                    arguments: (eventLog) => [
                        engineScript(),
                        operation,
                        ...["--program", path.resolve(options.program)],
                        ...["--stack", options.stack],
                        ...["--state", path.resolve(options.stateFolder)],
                        ...["--event-log", eventLog],
                        ...Object.entries(options.config ?? {}).flatMap(([key, value]) => [
                            "--config",
                            `${key}=${value}`,
                        ]),
                        ...(options.diff ? ["--diff"] : []),
                        ...(options.skipPreview ? ["--skip-preview"] : []),
                    ],
                },
                options,
            ),
        run: runInOwnProcess,
    };
}

/**
 * The engine's script. The project's tests load this file from its sources. They run the script that the build has made of
 * them, because compiling it in each run costs more than the rest of the engine's start.
 */
function engineScript(): string {
    const compiled = path.join(__dirname, "..", "engine", "main.js");
    return existsSync(compiled) ? compiled : path.join(__dirname, "..", "dist", "engine", "main.js");
}
