import { appendFileSync, writeFileSync } from "node:fs";
import { type ResourceState } from "./state";
import { maskSecrets, type PropertyMap } from "./values";

/**
 * An event of a run, for the display and the event log. The log's lines have the names and shapes of the real CLI's
 * `--event-log` (sdk/go/common/apitype/events.go), so one reader can read both.
 */
export type Operation =
    "same" | "create" | "update" | "replace" | "create-replacement" | "delete-replaced" | "delete" | "read" | "refresh";

/** One step of a run: an operation on one resource. */
export interface Step {
    operation: Operation;
    urn: string;
    type: string;
    /** The resource before the step. Absent for a creation. */
    old?: ResourceState;
    /** The resource after the step. Absent for a deletion. */
    new?: ResourceState;
    /** The properties that force the replacement. */
    replaceKeys?: string[];
}

/** The severity of a message. `info#err` is a line that the program wrote to standard error. */
export type Severity = "debug" | "info" | "info#err" | "warning" | "error";

/** A message from the program, a provider or the engine. */
export interface Diagnostic {
    severity: Severity;
    /** The resource that it concerns. Absent if it concerns the whole run. */
    urn?: string;
    message: string;
    /** Shown only while the step is in progress. */
    ephemeral?: boolean;
}

/** The result of a run. */
export interface RunSummary {
    ok: boolean;
    preview: boolean;
    seconds: number;
    /** The number of resources for each operation. */
    changes: Partial<Record<Operation, number>>;
    /** The stack's outputs. Secrets are still in their envelopes. */
    outputs: PropertyMap;
}

/** Receives the events of a run: the display and the event log are reporters. */
export interface Reporter {
    /** A run starts. An `up` with a preview consists of two. */
    started(preview: boolean): void;
    stepStarted(step: Step): void;
    stepDone(step: Step, milliseconds: number): void;
    stepFailed(step: Step, milliseconds: number): void;
    diagnostic(diagnostic: Diagnostic): void;
    finished(summary: RunSummary): void;
}

/** Whether the user asked for the operation. The two halves of a replacement only implement it. */
export function isLogical(operation: Operation): boolean {
    return operation !== "create-replacement" && operation !== "delete-replaced";
}

/** Combines reporters into one that calls them in order. */
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

/** Writes one JSON line per event. Lines written before a kill are kept. */
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
