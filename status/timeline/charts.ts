import { components } from "../../topology/members";
import { podOrdinal } from "../../topology/podNames";
import type { ActEntry, PodEntry, PodPhase, WaitEntry } from "../../provider/lifecycle/journal/journalOperation";
import type { ClusterTimeline, TimelineOperation } from "./clusterTimeline";

/** What is drawn, as data. Times are milliseconds since 1970. */

/** Operations that follow each other, on one axis of time. */
export interface Chart {
    readonly from: number;
    readonly to: number;
    readonly operations: readonly TimelineOperation[];
    /** The operations themselves first, then the pods in the order of a rollout. */
    readonly rows: readonly Row[];
    /** Pods of which nothing is recorded: they were Up all the time, and nothing was done with them, unless the chart is cut. */
    readonly quiet: readonly string[];
    /** Whether entries of an operation were dropped: then a pod of which nothing is recorded may have been restarted too. */
    readonly isCut: boolean;
}

/** The row of a pod or of an operation. */
export interface Row {
    readonly name: string;
    readonly isOperation: boolean;
    readonly bars: readonly Bar[];
    readonly waits: readonly (WaitEntry & { readonly until: number })[];
    readonly actions: readonly ActEntry[];
}

/** A phase of a pod, or the time of an operation. */
export interface Bar {
    readonly from: number;
    readonly to: number;
    readonly phase: PodPhase | TimelineOperation["state"];
    /** What was wrong at its beginning. */
    readonly why?: string;
    /** What was wrong at its end, if that differs. */
    readonly last?: string;
    /** Whether another pod of the name begins here. Default: no. */
    readonly isNew?: true;
}

/** Operations further apart than this are drawn apart. */
const apartMilliseconds = 600_000;
/** Charts with at most this many pods have a row for the quiet ones too. */
const fewPods = 40;

/**
 * Returns the charts of a timeline, the newest first. A chart has the operations of one process, and those of the next one that
 * continues what it has not finished.
 */
export function chartsOf({ name, operations }: Pick<ClusterTimeline, "name" | "operations">): Chart[] {
    const groups: TimelineOperation[][] = [];
    for (const operation of operations) {
        const group = groups.at(-1);
        const last = group?.at(-1);
        const end = Math.max(...(group ?? []).map(({ lastAt }) => lastAt));
        const continues = last?.holder === operation.holder || last?.state !== "done";
        if (group && continues && operation.began - end <= apartMilliseconds) {
            group.push(operation);
        } else {
            groups.push([operation]);
        }
    }
    return groups.reverse().map((group) => chartOf(name, group));
}

function chartOf(cluster: string, operations: readonly TimelineOperation[]): Chart {
    const pods = podRows(operations);
    const names = [...pods.keys()].sort(byRollout(cluster));
    const isQuiet = (row: Row) =>
        row.bars.every(({ phase, isNew }) => phase === "up" && !isNew) &&
        row.waits.length === 0 &&
        row.actions.length === 0;
    const all = names.map((name) => pods.get(name)!);
    const quiet = all.length > fewPods ? all.filter(isQuiet) : [];
    return {
        from: Math.min(...operations.map(({ began }) => began)),
        to: Math.max(...operations.map(({ began, lastAt }) => Math.max(lastAt, began + 1))),
        operations,
        rows: [
            ...operations.map((operation) => operationRow(operation, pods)),
            ...all.filter((row) => !quiet.includes(row)),
        ],
        quiet: quiet.map(({ name }) => name),
        isCut: operations.some(({ dropped }) => dropped !== undefined),
    };
}

interface Building extends Row {
    readonly bars: Bar[];
    readonly waits: (WaitEntry & { until: number })[];
    readonly actions: ActEntry[];
}

/** The rows of the pods, by name. A pod is drawn only while an operation watched it. */
function podRows(operations: readonly TimelineOperation[]): Map<string, Building> {
    const rows = new Map<string, Building>();
    const rowOf = (name: string): Building => {
        const row = rows.get(name) ?? { name, isOperation: false, bars: [], waits: [], actions: [] };
        rows.set(name, row);
        return row;
    };
    for (const operation of operations) {
        const { lastAt, pods, entries } = operation;
        for (const pod of pods) {
            rowOf(pod);
        }
        for (const [pod, bars] of podBars(operation)) {
            rowOf(pod).bars.push(...bars);
        }
        for (const entry of entries) {
            const row = entry.is === "pod" ? undefined : rows.get(entry.target);
            if (row && entry.is === "act") {
                row.actions.push(entry);
            } else if (row && entry.is === "wait") {
                row.waits.push({ ...entry, until: entry.until ?? lastAt });
            }
        }
    }
    return rows;
}

/**
 * The bars of the pods that an operation watched, by name. Each pod was Up at its beginning, unless its oldest entries were
 * dropped: then nothing is known of a pod before its first entry.
 */
function podBars({ began, lastAt, pods, entries, dropped }: TimelineOperation): Map<string, Bar[]> {
    const atFirst = dropped === undefined ? pods : [];
    const bars = new Map<string, Bar[]>(atFirst.map((pod) => [pod, [{ from: began, to: lastAt, phase: "up" }]]));
    const deletedAt = new Map<string, number>();
    for (const entry of entries) {
        if (entry.is === "act" && entry.do === "delete-pod" && entry.failed === undefined) {
            deletedAt.set(entry.target, entry.at);
        }
        if (entry.is === "pod") {
            const { pod, at, isNew } = entry;
            const before = bars.get(pod) ?? [];
            const seen = isNew ? withUnseenRestart(before, deletedAt.get(pod) ?? at, at) : before;
            bars.set(pod, withPhase(seen, entry, lastAt));
        }
    }
    return new Map([...bars].map(([pod, all]) => [pod, all.filter(({ from, to }) => to > from)]));
}

function withPhase(bars: readonly Bar[], { at, phase, why, isNew }: PodEntry, lastAt: number): Bar[] {
    const last = bars.at(-1);
    if (last?.phase === phase && !(isNew && phase === "up")) {
        return [...bars.slice(0, -1), last.why === undefined ? { ...last, why } : { ...last, last: why }];
    }
    const ended = last === undefined ? [] : [{ ...last, to: at }];
    return [...bars.slice(0, -1), ...ended, { from: at, to: lastAt, phase, why, ...(isNew ? { isNew } : {}) }];
}

/**
 * A pod may be deleted, and its successor be Up, between two observations. The time from the deletion, as far as this operation did it,
 * until the successor was seen is drawn as down.
 */
function withUnseenRestart(bars: readonly Bar[], deletedAt: number, seenAt: number): readonly Bar[] {
    const last = bars.at(-1);
    return last === undefined || last.phase === "down" || deletedAt < last.from
        ? bars
        : [
              ...bars.slice(0, -1),
              { ...last, to: deletedAt },
              { from: deletedAt, to: seenAt, phase: "down", why: "deleted; its successor was first seen at the end" },
          ];
}

/** What is not about a pod is in the row of the operation. */
function operationRow(
    { what, began, lastAt, state, why, entries }: TimelineOperation,
    pods: ReadonlyMap<string, Row>,
): Row {
    const own = entries.filter((entry) => entry.is !== "pod" && !pods.has(entry.target));
    return {
        name: what,
        isOperation: true,
        bars: [{ from: began, to: Math.max(lastAt, began + 1), phase: state, ...(why === undefined ? {} : { why }) }],
        waits: own.flatMap((entry) => (entry.is === "wait" ? [{ ...entry, until: entry.until ?? lastAt }] : [])),
        actions: own.flatMap((entry) => (entry.is === "act" ? [entry] : [])),
    };
}

/** The order of a rollout, and in a member by ordinal. */
function byRollout(cluster: string): (one: string, other: string) => number {
    const rank = (pod: string): [number, number] => {
        for (const [index, component] of components.entries()) {
            const ordinal = podOrdinal(pod, cluster, component);
            if (ordinal !== undefined) {
                return [index, ordinal];
            }
        }
        return [components.length, 0];
    };
    return (one, other) => {
        const [[member, ordinal], [otherMember, otherOrdinal]] = [rank(one), rank(other)];
        return member - otherMember || ordinal - otherOrdinal;
    };
}
