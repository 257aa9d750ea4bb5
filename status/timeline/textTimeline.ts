import { visible } from "../../components/problem";
import type { ClusterTimeline, TimelineOperation } from "./clusterTimeline";
import {
    clock,
    countWords,
    dayAndClock,
    entryWords,
    evidenceWords,
    planWords,
    stateWords,
    subjectOf,
} from "./timelineWords";

/** Writes a timeline for a terminal or a log: the oldest operation first, so the newest is at the end. */
export function textTimeline(timeline: ClusterTimeline): string {
    const { name, namespace, at, kubernetes, operations, unreadable } = timeline;
    const blocks = [
        [
            `TidbCluster ${namespace}/${name}`,
            `  read at ${dayAndClock(at)} with the context \`${kubernetes.context}\` from \`${kubernetes.server}\``,
            `  ${countWords(timeline)}`,
            ...unreadable.map((line) => `  not readable: ${line}`),
        ],
        ...operations.map(operationLines),
    ];
    return blocks.map((lines) => lines.map((line) => `${visible(line)}\n`).join("")).join("\n");
}

function operationLines(operation: TimelineOperation): string[] {
    const { began, what, holder, why, dropped, plan, entries, lastAt } = operation;
    const width = Math.max(0, ...entries.map((entry) => subjectOf(entry).length));
    const rows = entries.flatMap((entry) => [
        `  ${clock(entry.at)}  ${subjectOf(entry).padEnd(width)}  ${entryWords(entry, lastAt)}`,
        ...(entry.is === "act" ? evidenceWords(entry).map((line) => `${" ".repeat(width + 17)}${line}`) : []),
    ]);
    return [
        `${dayAndClock(began)}  ${what}: ${stateWords(operation)}`,
        `  by ${holder}, ${planWords(operation)}`,
        ...(plan?.lines ?? []).map((line) => `    - ${line}`),
        ...(plan && plan.of > plan.lines.length ? [`    - … ${plan.of - plan.lines.length} more`] : []),
        ...(why === undefined ? [] : [`  ${operation.state}: ${why}`]),
        ...(dropped === undefined ? [] : [`  ${dropped} earlier entries were dropped: the journal is bounded`]),
        ...rows,
    ];
}
