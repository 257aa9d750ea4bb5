import { appendFileSync, writeFileSync } from "node:fs";
import { type ResourceState } from "./state";
import { maskSecrets, type PropertyMap } from "./values";

/**
 * What happens in a run, told to the display and to the event log. The log's lines have the names and shapes of the real
 * CLI's `--event-log` (sdk/go/common/apitype/events.go), so that one reader serves both.
 */
export type Operation =
    "same" | "create" | "update" | "replace" | "create-replacement" | "delete-replaced" | "delete" | "read" | "refresh";

/** One step of a run: what is done with one resource. */
export interface Step {
    operation: Operation;
    urn: string;
    type: string;
    /** The resource before; absent for a creation. */
    old?: ResourceState;
    /** The resource afterwards; absent for a deletion. */
    new?: ResourceState;
    /** The properties that force the replacement. */
    replaceKeys?: string[];
}

/** How serious a message is; `info#err` is what a program wrote to its standard error. */
export type Severity = "debug" | "info" | "info#err" | "warning" | "error";

/** A message of the program, a provider or the engine. */
export interface Diagnostic {
    severity: Severity;
    /** The resource that it is about. Absent: the run as a whole. */
    urn?: string;
    message: string;
    /** Shown while the step lasts, not kept. */
    ephemeral?: boolean;
}

/** How a run ended. */
export interface RunSummary {
    ok: boolean;
    preview: boolean;
    seconds: number;
    /** Resources by what was done with them. */
    changes: Partial<Record<Operation, number>>;
    /** The stack's outputs, secrets still in their envelopes. */
    outputs: PropertyMap;
}

/** Who is told of what happens in a run: the display, and the event log. */
export interface Reporter {
    /** A run begins; an `up` with its preview is two. */
    started(preview: boolean): void;
    stepStarted(step: Step): void;
    stepDone(step: Step, milliseconds: number): void;
    stepFailed(step: Step, milliseconds: number): void;
    diagnostic(diagnostic: Diagnostic): void;
    finished(summary: RunSummary): void;
}

/** Steps that the user asked for; the two halves of a replacement only carry it out. */
export function isLogical(operation: Operation): boolean {
    return operation !== "create-replacement" && operation !== "delete-replaced";
}

/** A reporter that tells all of these, in order. */
export function combineReporters(reporters: Reporter[]): Reporter {
    return {
        started: (preview) => reporters.forEach((reporter) => reporter.started(preview)),
        stepStarted: (step) => reporters.forEach((reporter) => reporter.stepStarted(step)),
        stepDone: (step, milliseconds) => reporters.forEach((reporter) => reporter.stepDone(step, milliseconds)),
        stepFailed: (step, milliseconds) => reporters.forEach((reporter) => reporter.stepFailed(step, milliseconds)),
        diagnostic: (diagnostic) => reporters.forEach((reporter) => reporter.diagnostic(diagnostic)),
        finished: (summary) => reporters.forEach((reporter) => reporter.finished(summary)),
    };
}

/** Writes one JSON line an event; what was written before a kill stays. */
export function eventLog(file: string): Reporter {
    writeFileSync(file, "");
    let sequence = 0;
    let planning = false;
    const write = (event: object): void =>
        appendFileSync(
            file,
            `${JSON.stringify({ sequence: sequence++, timestamp: Math.floor(Date.now() / 1000), ...event })}\n`,
        );
    return {
        started(preview) {
            planning = preview;
            write({ preludeEvent: { config: {} } });
        },
        stepStarted: (step) => write({ resourcePreEvent: { metadata: metadata(step), planning } }),
        stepDone: (step) => write({ resOutputsEvent: { metadata: metadata(step), planning } }),
        stepFailed: (step) => write({ resOpFailedEvent: { metadata: metadata(step), status: 0, steps: 0 } }),
        diagnostic: ({ severity, urn, message, ephemeral }) =>
            write({ diagnosticEvent: { severity, urn, message, ephemeral, color: "never" } }),
        finished: ({ ok, preview, seconds, changes }) =>
            write({
                summaryEvent: {
                    maybeCorrupt: false,
                    durationSeconds: Math.round(seconds),
                    resourceChanges: changes,
                    isPreview: preview,
                    result: ok ? "succeeded" : "failed",
                },
            }),
    };
}

function metadata(step: Step): object {
    return {
        op: step.operation,
        urn: step.urn,
        type: step.type,
        old: stateMetadata(step.old),
        new: stateMetadata(step.new),
        keys: step.replaceKeys,
        logical: isLogical(step.operation),
    };
}

function stateMetadata(state: ResourceState | undefined): object | null {
    return state === undefined
        ? null
        : {
              urn: state.urn,
              type: state.type,
              custom: state.custom,
              id: state.id ?? "",
              parent: state.parent ?? "",
              inputs: maskSecrets(state.inputs),
              outputs: maskSecrets(state.outputs),
          };
}
