import { type Action, describeAction } from "../provider/lifecycle/vocabulary/actions";
import type { DryRun, ForeseenMove } from "../provider/lifecycle/dryRun/dryRun";
import { endItems } from "../provider/lifecycle/dryRun/holds";
import type { ReadFact } from "../provider/lifecycle/dryRun/readFacts";

/** The dry run of a gate, move by move: what `--trace` adds to a plan. */
export interface GateTrace {
    /** The gate, as the end of its resource's name: `tikv-rollout`. */
    readonly gate: string;
    readonly moves: readonly TracedMove[];
    /** Where it ends: `done`, `not foreseen`, or the line of the plan that says where it is held or fails. */
    readonly end: string;
    /** What the last decision has read of Kubernetes and PD. */
    readonly read: readonly string[];
}

/** One move of a dry run. */
export interface TracedMove {
    /** The pod or StatefulSet. */
    readonly target: string;
    /** The conditions of that pod that hold, in their order. */
    readonly holds: readonly string[];
    /** The condition that does not hold yet, or the step. */
    readonly condition: string;
    /** What is done for it. */
    readonly does: string;
    /** The kind of action that this is, as the journal names it. Default: it is none, but a wait. */
    readonly action?: Action["do"];
    /** What the decision has read of Kubernetes and PD, in short, with the age of each answer where it is known. */
    readonly read: readonly string[];
}

/** @returns the dry run of a gate as data. */
export function traceOf(gate: string, { moves, end, reads }: DryRun): GateTrace {
    const [item] = endItems({ end });
    return {
        gate,
        moves: moves.map(traced),
        end: item?.is === "held" ? item.words : end.is,
        read: reads().map(inWords),
    };
}

function traced({ reads, seconds, ...one }: ForeseenMove): TracedMove {
    const { target, step: condition } = one.move;
    const read = reads().map(inWords);
    switch (one.is) {
        case "act":
            return {
                target,
                condition,
                holds: one.move.held ?? [],
                does: describeAction(one.move.action),
                action: one.move.action.do,
                read,
            };
        case "start":
            return { target, condition, holds: [], does: "wait until Kubernetes has started it", read };
        case "wait":
            return {
                target,
                condition,
                holds: [],
                does: `wait until ${seconds > 0 ? `~${Math.ceil(seconds)} s have passed` : "it has ended"} (${one.move.waitingFor})`,
                read,
            };
    }
}

function inWords({ part, shows, is }: ReadFact): string {
    const of = shows === undefined ? part : `${part}: ${shows}`;
    if ("notKnown" in is) {
        return `${of} (not known: ${is.notKnown})`;
    }
    return `${of} (${is.from}${is.age === undefined ? "" : `, ${(is.age / 1000).toFixed(1)} s old`})`;
}

/** @returns what was read, with each source and age once. */
function bySource(read: readonly string[]): string {
    const bySource = new Map<string, string[]>();
    for (const one of read) {
        const at = one.lastIndexOf(" (");
        const source = one.slice(at);
        bySource.set(source, [...(bySource.get(source) ?? []), one.slice(0, at)]);
    }
    return [...bySource].map(([source, parts]) => `${parts.join(", ")}${source}`).join("; ");
}

/** @returns the lines of `--trace` in the text of a plan. */
export function traceLines({ gate, moves, end, read }: GateTrace): string[] {
    const lines = moves.flatMap((move) => [
        `  ${move.target}: ${move.condition}: ${move.does}`,
        ...(move.holds.length > 0 ? [`      holds: ${move.holds.join(", ")}`] : []),
        ...(move.read.length > 0 ? [`      read: ${bySource(move.read)}`] : []),
    ]);
    return [
        `trace of ${gate}:`,
        ...lines,
        `  end: ${end}`,
        ...(read.length > 0 ? [`      read: ${bySource(read)}`] : []),
    ];
}
