import type { JournalOperation } from "../provider/lifecycle/journal/journalOperation";
import type { Fact } from "../provider/lifecycle/vocabulary/evidence";
import { namespaceFlag } from "../topology/names";
import { timeInWords } from "../topology/timestamps";
import type { UnfinishedStatus } from "./clusterStatus";

const ends = { failed: "failed", stopped: "was stopped" } as const;

/** An error with a container's log is long, and `timeline` has all of it. */
const longestWhy = 400;

/** @returns the last operation if it did not reach its end. @param journal what the last operations did. */
export function unfinishedOperation(journal: readonly JournalOperation[]): UnfinishedStatus | null {
    const last = [...journal].sort((one, other) => other.began - one.began)[0] as JournalOperation | undefined;
    if (last === undefined || last.outcome === "done") {
        return null;
    }
    const { what, outcome, began, ended = began, writtenAt = began, why } = last;
    const end =
        outcome === undefined
            ? `has not ended: it began at ${timeInWords(began)}, was last heard of at ${timeInWords(writtenAt)}, and holds no lock; if no \`pulumi up\` runs, it was interrupted`
            : `${ends[outcome]} at ${timeInWords(ended)}${why === undefined ? "" : `: ${shortened(why)}`}`;
    return { of: what, end };
}

/** A fault's message names its operation and the next step; without a full stop at its end, as another sentence follows. */
function shortened(why: string): string {
    const line = why.replace(/\s+/g, " ").trim();
    return line.length > longestWhy ? `${line.slice(0, longestWhy)}…` : line.replace(/\.$/, "");
}

/** @returns that the last operation did not reach its end: nothing else in a cluster shows why an update is half done. */
export function unfinishedWords(
    { cluster, namespace }: { cluster: string; namespace: string },
    { of, end }: UnfinishedStatus,
): string {
    return `the last operation, ${of}, ${end}. \`pulumi up\` goes on with it; \`npx pulumi-tidb timeline ${cluster}${namespaceFlag(namespace)}\` shows what it did`;
}

/** @returns why it is not known how the last operation ended. */
export function unknownEnd(journal: Fact<readonly JournalOperation[]>): string[] {
    return journal.known ? [] : [`how the last operation ended is not known: ${journal.why}`];
}
