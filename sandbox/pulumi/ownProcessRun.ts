import * as path from "node:path";
import { runOperation } from "../engine/operation";
import { killDescendants } from "./processTree";
import { recordRun, runEnvironment } from "./runOutcome";
import { type PulumiOperation, type PulumiOptions, type PulumiRun } from "./types";

/** The exit code of both engines when a run fails. */
const failed = 1;

/** Runs the sandbox's engine in this process. The result is the same as that of an engine in a process of its own. */
export async function runInOwnProcess(operation: PulumiOperation, options: PulumiOptions): Promise<PulumiRun> {
    const record = recordRun(options);
    const kill = (): void => killDescendants();
    // The program and the providers must not outlive the test or demo that started them.
    process.once("exit", kill);
    try {
        const ok = await runOperation(operation, {
            program: path.resolve(options.program),
            stack: options.stack,
            state: path.resolve(options.stateFolder),
            config: options.config ?? {},
            diff: options.diff,
            skipPreview: options.skipPreview,
            eventLog: record.eventLog,
            environment: runEnvironment(options),
            startNode: options.startNode,
            print: (text) => text.split("\n").forEach(record.print),
        });
        return record.outcome(ok ? 0 : failed);
    } catch (error) {
        record.print(`error: ${(error as Error).message}`);
        return record.outcome(failed);
    } finally {
        process.off("exit", kill);
        record.remove();
    }
}
