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

/**
 * Writes a timeline for a terminal or a log: the oldest operation first, so the newest is at the end.
 * @param isWhole whether each operation has all its lines. If not, only the newest has, and each earlier one is a line. Default: yes.
 */
export function textTimeline(timeline: ClusterTimeline, isWhole = true): string {
    const { name, namespace, at, kubernetes, operations, unreadable } = timeline;
    const earlier = isWhole ? [] : operations.slice(0, -1);
    const blocks = [
        [
            `TidbCluster ${namespace}/${name}`,
            `  read at ${dayAndClock(at)} with the context \`${kubernetes.context}\` from \`${kubernetes.server}\``,
            `  ${countWords(timeline)}`,
            ...unreadable.map((line) => `  not readable: ${line}`),
        ],
        ...(earlier.length === 0 ? [] : [[...earlier.map(headLine), "  --all shows all of each"]]),
        ...operations.slice(earlier.length).map(operationLines),
    ];
    return blocks.map((lines) => lines.map((line) => `${visible(line)}\n`).join("")).join("\n");
}

/** How wide lines are. A longer word stays whole. */
const columns = 120;

/** Returns a text in lines that are not too wide, each below the text of the first. @param begin what stands before the text. */
function wrapped(begin: string, text: string): string[] {
    const [first, ...words] = text.split(" ");
    const lines = [begin + first];
    for (const word of words) {
        const longer = `${lines[lines.length - 1]} ${word}`;
        if (longer.length > columns) {
            lines.push(" ".repeat(begin.length) + word);
        } else {
            lines[lines.length - 1] = longer;
        }
    }
    return lines;
}

function headLine(operation: TimelineOperation): string {
    return `${dayAndClock(operation.began)}  ${operation.what}: ${stateWords(operation)}`;
}

function operationLines(operation: TimelineOperation): string[] {
    const { holder, why, dropped, plan, entries, lastAt } = operation;
    const width = Math.max(0, ...entries.map((entry) => subjectOf(entry).length));
    const rows = entries.flatMap((entry) => [
        ...wrapped(`  ${clock(entry.at)}  ${subjectOf(entry).padEnd(width)}  `, entryWords(entry, lastAt)),
        ...(entry.is === "act" ? evidenceWords(entry) : []).flatMap((line) => {
            const words = line.indexOf(" ") + 1;
            return wrapped(" ".repeat(width + 17) + line.slice(0, words), line.slice(words));
        }),
    ]);
    return [
        headLine(operation),
        `  by ${holder}, ${planWords(operation)}`,
        ...(plan?.lines ?? []).flatMap((line) => wrapped("    - ", line)),
        ...(plan && plan.of > plan.lines.length ? [`    - … ${plan.of - plan.lines.length} more`] : []),
        ...(why === undefined ? [] : wrapped(`  ${operation.state}: `, why)),
        ...(dropped === undefined ? [] : [`  ${dropped} earlier entries were dropped: the journal is bounded`]),
        ...rows,
    ];
}
