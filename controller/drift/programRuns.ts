import type * as automation from "@pulumi/pulumi/automation";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isConflict, notEnded, type ProgramPlace, programProblem, tookTooLong } from "./programProblem";
import { notTold, type PreviewedProgram, previewedProgram } from "./previewedProgram";
import { type RunLimits, RunTookTooLong, withinTime } from "./timeLimit";

/** Why a preview did not end. */
export interface RunFailure {
    readonly problem: string;
    /** Whether nothing but field managers held it up: then the refresh has ended. */
    readonly isConflict: boolean;
}

/** A preview that may have failed: what it saw before still counts. */
export interface PreviewRun extends PreviewedProgram {
    readonly failure?: RunFailure;
}

/** What of a program is run. */
export interface ProgramRuns {
    /** Compares the program with the state, or, after a refresh, with the objects. Changes nothing. */
    preview(refresh: boolean, signal: AbortSignal): Promise<PreviewRun>;
    /**
     * Previews a repair and notes its plan.
     * @param force whether fields that somebody else has count as the program's in this preview. The repair itself takes fields back from
     * `kubectl` alone, as Pulumi's provider does
     */
    plan(force: boolean, signal: AbortSignal): Promise<PlannedRun>;
}

/** The preview of a repair. */
export interface PlannedRun extends PreviewRun {
    /** Carries out what was previewed: Pulumi refuses each step that the plan does not have. @throws Error in one line */
    repair(signal: AbortSignal): Promise<void>;
    /** Removes what was noted. */
    close(): Promise<void>;
}

/** A preview that was cut off has seen less than there is, so what it has seen says nothing. */
function cutOff(problem: string): PreviewRun {
    return { refreshed: [], steps: [], errors: [], failure: { problem, isConflict: false } };
}

/**
 * Runs a program by Pulumi's Automation API, which is loaded by the first run: it takes some 80 MB.
 * @param limits of a preview. A repair has none: its gates end at a safe point, and only that is safe
 */
export function programRuns(place: ProgramPlace, limits: RunLimits): ProgramRuns {
    /** A preview that did not end. Another one beside it would be one more each time. */
    let left: Promise<unknown> | undefined;
    const open = async (envVars: Record<string, string> = {}): Promise<automation.Stack> => {
        // eslint-disable-next-line @typescript-eslint/no-require-imports
        const { LocalWorkspace } = require("@pulumi/pulumi/automation") as typeof automation;
        return LocalWorkspace.selectStack({ stackName: place.stack, workDir: place.folder }, { envVars });
    };
    const preview = async (
        signal: AbortSignal,
        options: automation.PreviewOptions,
        envVars?: Record<string, string>,
    ): Promise<PreviewRun> => {
        const events: automation.EngineEvent[] = [];
        const keep = (event: automation.EngineEvent): void => {
            if (event.diagnosticEvent?.severity !== ("debug" as string)) {
                events.push(event);
            }
        };
        if (left !== undefined) {
            return cutOff(notEnded);
        }
        const run = async (end: AbortSignal): Promise<void> => {
            const stack = await open(envVars);
            end.throwIfAborted();
            await stack.preview({ ...options, color: "never", signal: end, onEvent: keep });
        };
        try {
            await withinTime(run, signal, limits);
            const seen = previewedProgram(events);
            const missing = notTold(seen).join("; ");
            const problem = `what Pulumi told of its preview is not complete: its count differs from its steps (${missing})`;
            return missing === "" ? seen : { ...seen, failure: { problem, isConflict: false } };
        } catch (error) {
            if (error instanceof RunTookTooLong) {
                left = error.left?.finally(() => (left = undefined));
                return cutOff(tookTooLong(limits.longest, place));
            }
            const seen = previewedProgram(events);
            const problem = programProblem(error as Error, seen.errors, place);
            return { ...seen, failure: { problem, isConflict: isConflict(seen.errors) } };
        }
    };
    return {
        preview: (refresh, signal) => preview(signal, { refresh }),
        plan: async (force, signal) => {
            // The plan has the program's inputs, with secrets encrypted as in the state. Only this user may read the folder.
            const folder = await mkdtemp(join(tmpdir(), "pulumi-tidb-repair-"));
            const plan = join(folder, "plan.json");
            const environment = force ? { PULUMI_K8S_ENABLE_PATCH_FORCE: "true" } : undefined;
            const planned = await preview(signal, { refresh: true, plan }, environment);
            return {
                ...planned,
                repair: async (stop) => {
                    const events: automation.EngineEvent[] = [];
                    try {
                        const stack = await open();
                        stop.throwIfAborted();
                        await stack.up({
                            refresh: true,
                            plan,
                            color: "never",
                            message: "pulumi-tidb controller run --apply",
                            signal: stop,
                            onEvent: (event) => {
                                if (event.diagnosticEvent?.severity === "error") {
                                    events.push(event);
                                }
                            },
                        });
                    } catch (error) {
                        const { errors } = previewedProgram(events);
                        throw new Error(programProblem(error as Error, errors, place), { cause: error });
                    }
                },
                close: () => rm(folder, { recursive: true, force: true }),
            };
        },
    };
}
