import type { JournalOperation } from "../provider/lifecycle/journal/journalOperation";
import type { Fact } from "../provider/lifecycle/vocabulary/evidence";
import { namespaceFlag } from "../topology/names";
import { timeInWords } from "../topology/timestamps";

const ends = { failed: "failed", stopped: "was stopped" } as const;

/**
 * @param journal what the last operations did.
 * @returns that the last operation did not reach its end, if it did not: nothing else in a cluster shows why an update is half done.
 */
export function lastOperation(
    { cluster, namespace }: { cluster: string; namespace: string },
    journal: Fact<readonly JournalOperation[]>,
): string[] {
    if (!journal.known) {
        return [`how the last operation ended is not known: ${journal.why}`];
    }
    const last = [...journal.value].sort((one, other) => other.began - one.began)[0] as JournalOperation | undefined;
    if (last === undefined || last.outcome === "done") {
        return [];
    }
    const { what, outcome, began, ended = began, writtenAt = began } = last;
    const end =
        outcome === undefined
            ? `has not ended: it began at ${timeInWords(began)}, was last heard of at ${timeInWords(writtenAt)}, and holds no lock; if no \`pulumi up\` runs, it was interrupted`
            : `${ends[outcome]} at ${timeInWords(ended)}`;
    return [
        `the last operation, ${what}, ${end}. \`pulumi up\` goes on with it; \`npx pulumi-tidb timeline ${cluster}${namespaceFlag(namespace)}\` shows what it did`,
    ];
}
