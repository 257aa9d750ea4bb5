import type { EngineEvent } from "@pulumi/pulumi/automation";
import type { ClusterName } from "../../provider/cluster/controllerCalls";
import { instanceLabel, managedByLabel } from "../../topology/labels";
import { type Losses, lossesOf } from "./lossesOf";

/** A resource of a program. */
export interface ProgramResource {
    readonly urn: string;
    /** Pulumi's type: `kubernetes:core/v1:Service`. */
    readonly type: string;
    /** The name of the object in Kubernetes, otherwise that of the resource. */
    readonly name: string;
    readonly namespace?: string;
    /** That of the object in Kubernetes. */
    readonly uid?: string;
    /** The TidbCluster that it belongs to, by its labels. */
    readonly cluster?: ClusterName;
    /** What others wrote that is lost when the Kubernetes provider writes the object; undefined: not known. */
    readonly losses?: Losses;
}

/** What a refresh found out about a resource. */
export interface RefreshedResource extends ProgramResource {
    readonly isGone: boolean;
    /** The properties that are no longer as the last update left them, as paths. Values are never kept: they may be secret. */
    readonly differs: readonly string[];
}

/** What an update would do to a resource. */
export interface PreviewedStep extends ProgramResource {
    /** Pulumi's name of it: `same`, `update`, `create` and so on. */
    readonly op: string;
    readonly differs: readonly string[];
}

/** What a preview showed. If it failed, it may have seen only a part. */
export interface PreviewedProgram {
    readonly refreshed: readonly RefreshedResource[];
    readonly steps: readonly PreviewedStep[];
    /** The errors that it told. */
    readonly errors: readonly string[];
    /** How many resources it would change, by Pulumi's own count at its end, for each kind of step; undefined: it did not come to its end. */
    readonly counted?: Readonly<Record<string, number | undefined>>;
}

type Step = NonNullable<EngineEvent["resOutputsEvent"]>["metadata"];

/** Reads what a preview showed from the engine's events. */
export function previewedProgram(events: readonly EngineEvent[]): PreviewedProgram {
    // A refresh tells what it found only afterwards; a step that fails is told only before.
    const found = events.flatMap(({ resOutputsEvent }) => resOutputsEvent?.metadata ?? []);
    const begun = events.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? []);
    return {
        refreshed: found
            .filter(({ op, old }) => op === "refresh" && old?.custom === true)
            .map((step) => ({ ...resourceOf(step), isGone: !step.new, differs: pathsOf(step) })),
        steps: begun
            .filter(({ op }) => op !== "refresh")
            .map((step) => ({ ...resourceOf(step), op: step.op, differs: pathsOf(step) })),
        errors: events
            .flatMap(({ diagnosticEvent }) => diagnosticEvent ?? [])
            .filter(({ severity }) => severity === "error")
            .map(({ message }) => message.replace(/<\{%[^%]*%\}>/g, "").trim())
            .filter((message) => message !== "" && !/^(preview|update) failed$/.test(message)),
        counted: events.map(({ summaryEvent }) => summaryEvent?.resourceChanges).find((counts) => counts !== undefined),
    };
}

/**
 * Returns where Pulumi's own count at the end disagrees with the steps that it told; empty if nowhere: a step that was not heard of is no
 * step that is not taken.
 */
export function notTold({ counted, steps }: PreviewedProgram): string[] {
    if (counted === undefined) {
        return ["no count came"];
    }
    return Object.entries(counted).flatMap(([op, count]) => {
        const told = steps.filter((one) => one.op === op && !isDefaultProvider(one)).length;
        return op === "same" || count === told ? [] : `${op}: ${count} counted, ${told} told`;
    });
}

/** Whether Pulumi takes it for a provider that it made by itself (providers/reference.go). It neither shows nor counts steps of these. */
export function isDefaultProvider({ type, name }: ProgramResource): boolean {
    return type.startsWith("pulumi:providers:") && name.startsWith("default");
}

function pathsOf({ detailedDiff }: Step): string[] {
    return Object.keys(detailedDiff ?? {}).sort();
}

interface Metadata {
    readonly name?: unknown;
    readonly namespace?: unknown;
    readonly uid?: unknown;
    readonly labels?: Readonly<Record<string, unknown>>;
}

function resourceOf({ urn, type, old, new: next }: Step): ProgramResource {
    // A refresh changes what is known of the object; what it was before says whose it is.
    const inputs = ((old ?? next)?.inputs ?? {}) as { metadata?: Metadata };
    const { metadata } = inputs;
    const namespace = text(metadata?.namespace);
    const live = ((next ?? old)?.outputs ?? {}) as { metadata?: Metadata };
    const uid = text(live.metadata?.uid);
    const losses = lossesOf(live, inputs);
    const cluster = metadata?.labels?.[managedByLabel] === "pulumi-tidb" && text(metadata.labels[instanceLabel]);
    return {
        urn,
        type,
        name: text(metadata?.name) ?? urn.slice(urn.lastIndexOf("::") + 2),
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
        ...(losses === undefined ? {} : { losses }),
        ...(namespace && cluster ? { cluster: { namespace, cluster } } : {}),
    };
}

function text(value: unknown): string | undefined {
    return typeof value === "string" && value !== "" ? value : undefined;
}
