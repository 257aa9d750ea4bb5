import type * as automation from "@pulumi/pulumi/automation";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isConflict, type ProgramPlace, programProblem } from "./programProblem";
import { isComplete, type PreviewedProgram, previewedProgram } from "./previewedProgram";

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

/** Runs a program by Pulumi's Automation API, which is loaded by the first run: it takes some 80 MB. */
export function programRuns(place: ProgramPlace): ProgramRuns {
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
        try {
            const stack = await open(envVars);
            signal.throwIfAborted();
            await stack.preview({ ...options, color: "never", signal, onEvent: keep });
            const seen = previewedProgram(events);
            const problem = "what Pulumi told of its preview is not complete: its count differs from its steps";
            return isComplete(seen) ? seen : { ...seen, failure: { problem, isConflict: false } };
        } catch (error) {
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
