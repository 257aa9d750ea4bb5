import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { readEventLog } from "./eventLog";
import { killTree } from "./processTree";
import { type PulumiOptions, type StartedRun } from "./types";

/** The process that runs an engine. */
export interface ChildCommand {
    file: string;
    /** Takes the path of the event log. */
    arguments: (eventLog: string) => string[];
    folder: string;
    environment: Record<string, string | undefined>;
}

/** Starts one of the two engines. The result is made from the lines it prints and from its event log. */
export function startChild(command: ChildCommand, options: PulumiOptions): StartedRun {
    const started = Date.now();
    const logFolder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-run-"));
    const eventLog = path.join(logFolder, "events.jsonl");
    const child = spawn(command.file, command.arguments(eventLog), {
        cwd: command.folder,
        env: withPluginFolders({ ...process.env, ...command.environment, ...options.environment }, options),
        stdio: ["ignore", "pipe", "pipe"],
        // The child gets its own process group: the process that started the run decides what a Ctrl-C in the terminal
        // does.
        detached: true,
    });
    const lines: string[] = [];
    const take = (line: string): void => {
        lines.push(line);
        options.onLine?.(line);
    };
    createInterface({ input: child.stdout }).on("line", take);
    createInterface({ input: child.stderr }).on("line", take);

    const { pid } = child;
    const kill = (): void => {
        if (pid !== undefined && child.exitCode === null && child.signalCode === null) {
            killTree(pid);
        }
    };
    // The run must not outlive the test or demo that started it.
    process.once("exit", kill);

    const done = new Promise<number | null>((resolve, reject) => {
        child.on("error", (error) => reject(new Error(`cannot start ${command.file}: ${error.message}`)));
        child.on("close", resolve);
    })
        .then((exitCode) => ({
            ok: exitCode === 0,
            exitCode,
            output: lines.join("\n"),
            ...readEventLog(existsSync(eventLog) ? readFileSync(eventLog, "utf8") : ""),
            milliseconds: Date.now() - started,
        }))
        .finally(() => {
            process.off("exit", kill);
            rmSync(logFolder, { recursive: true, force: true });
        });
    return { pid: pid ?? 0, kill, done };
}

function withPluginFolders(environment: NodeJS.ProcessEnv, { pluginFolders = [] }: PulumiOptions): NodeJS.ProcessEnv {
    return { ...environment, PATH: [environment.PATH ?? "", ...pluginFolders].join(path.delimiter) };
}
