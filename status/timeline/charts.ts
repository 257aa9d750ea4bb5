import { components } from "../../topology/members";
import { podOrdinal } from "../../topology/podNames";
import type { ActEntry, PodPhase, WaitEntry } from "../../provider/lifecycle/journal/journalOperation";
import type { ClusterTimeline, TimelineOperation } from "./clusterTimeline";

/** What is drawn, as data. Times are milliseconds since 1970. */

/** Operations that follow each other, on one axis of time. */
export interface Chart {
    readonly from: number;
    readonly to: number;
    readonly operations: readonly TimelineOperation[];
    /** The operations themselves first, then the pods in the order of a rollout. */
    readonly rows: readonly Row[];
    /** Pods that were Up all the time, and that nothing was done with. */
    readonly quiet: readonly string[];
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
    readonly why?: string;
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
        row.bars.every(({ phase }) => phase === "up") && row.waits.length === 0 && row.actions.length === 0;
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
    for (const { began, lastAt, pods, entries } of operations) {
        const open = new Map<string, Omit<Bar, "to">>(pods.map((pod) => [pod, { from: began, phase: "up" }]));
        const close = (pod: string, to: number) => {
            const bar = open.get(pod);
            if (bar && to > bar.from) {
                rowOf(pod).bars.push({ ...bar, to });
            }
        };
        for (const entry of entries) {
            if (entry.is === "pod") {
                close(entry.pod, entry.at);
                open.set(entry.pod, { from: entry.at, phase: entry.phase, why: entry.why });
            }
        }
        for (const pod of open.keys()) {
            rowOf(pod);
            close(pod, lastAt);
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

/** Steps between the marks of an axis, in seconds. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
/** An axis has at most this many marks. */
const mostMarks = 8;

/** Returns the times at which the axis of a chart has marks. */
export function marksOf({ from, to }: Pick<Chart, "from" | "to">): number[] {
    const step = 1_000 * (steps.find((one) => (to - from) / 1_000 / one <= mostMarks) ?? steps[steps.length - 1]);
    const marks = [];
    for (let at = Math.ceil(from / step) * step; at < to && marks.length <= 10 * mostMarks; at += step) {
        marks.push(at);
    }
    return marks;
}
