import { diffProperties } from "../engine/diff";
import { nameOf, providerTypePrefix, stackType } from "../engine/urn";
import { maskSecrets, type PropertyMap } from "../engine/values";
import { type ChangeKind, type PulumiRun } from "./types";

interface StepMetadata {
    op: string;
    urn: string;
    type: string;
    old: { inputs?: PropertyMap; outputs?: PropertyMap } | null;
    new: { inputs?: PropertyMap; outputs?: PropertyMap } | null;
    logical?: boolean;
}

/** One line of the event log. Exactly one of the fields is set (sdk/go/common/apitype/events.go). */
interface EngineEvent {
    preludeEvent?: object;
    resourcePreEvent?: { metadata: StepMetadata };
    resOutputsEvent?: { metadata: StepMetadata };
    diagnosticEvent?: { severity: string; urn?: string; message: string; ephemeral?: boolean };
    summaryEvent?: { resourceChanges?: Record<string, number>; isPreview: boolean };
}

type EventSummary = Pick<PulumiRun, "changes" | "outputs" | "steps" | "diagnostics">;

/** Summarizes the event log of a run. An incomplete last line, which a kill leaves, is ignored. */
export function readEventLog(text: string): EventSummary {
    const events = text.split("\n").flatMap((line): EngineEvent[] => {
        try {
            return line.trim() === "" ? [] : [JSON.parse(line) as EngineEvent];
        } catch (error) {
            if (!text.endsWith(`\n${line}`) && line !== text) {
                throw error;
            }
            return [];
        }
    });
    // The log of an update follows that of its preview in the same file.
    const begin = events.reduce((last, event, index) => (event.preludeEvent === undefined ? last : index), 0);
    const all = events.slice(begin);
    const steps = all.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? []).filter(isShown);
    const summary = all.map(({ summaryEvent }) => summaryEvent).find((event) => event !== undefined);
    return {
        changes: changesOf(summary?.resourceChanges ?? {}),
        outputs: outputsOf(all),
        steps: steps.map((step) => ({
            op: step.op,
            urn: step.urn,
            type: step.type,
            name: nameOf(step.urn),
            diff: diffOf(step),
        })),
        diagnostics: all
            .flatMap(({ diagnosticEvent }) => diagnosticEvent ?? [])
            .filter(({ severity, ephemeral }) => severity !== "debug" && ephemeral !== true)
            .filter(({ urn, message }) => urn || !/^(update|preview|destroy|refresh) failed\s*$/.test(message))
            .map(({ severity, urn, message }) => ({
                severity,
                ...(urn === undefined || urn === "" ? {} : { urn }),
                message: message.replace(/<\{%[^%]*%\}>/g, "").trim(),
            })),
    };
}

/** Hides the halves of a replacement and Pulumi's default providers: the program did not ask for them. */
function isShown(step: StepMetadata): boolean {
    return (step.logical === true || step.op === "refresh") && !isDefaultProvider(step);
}

function isDefaultProvider({ type, urn }: StepMetadata): boolean {
    return type.startsWith(providerTypePrefix) && /^default(_|$)/.test(nameOf(urn));
}

function diffOf(step: StepMetadata): Record<string, { before?: unknown; after?: unknown }> {
    if (step.op === "same" || step.op === "delete") {
        return {};
    }
    const before = step.op === "create" ? {} : (step.old?.inputs ?? {});
    const changes = diffProperties(before, step.new?.inputs ?? {});
    return Object.fromEntries(changes.map(({ path, ...change }) => [path, change]));
}

function changesOf(counted: Record<string, number>): Record<ChangeKind, number> {
    const count = (kind: ChangeKind): number => counted[kind] ?? 0;
    return {
        create: count("create"),
        update: count("update"),
        replace: count("replace"),
        delete: count("delete"),
        same: count("same"),
        read: count("read"),
    };
}

function outputsOf(events: EngineEvent[]): Record<string, unknown> {
    const stacks = events
        .flatMap(({ resOutputsEvent }) => resOutputsEvent?.metadata ?? [])
        .filter(({ type }) => type === stackType);
    return maskSecrets(stacks[stacks.length - 1]?.new?.outputs ?? {});
}
