import type { JournalOperation } from "../provider/lifecycle/journal/journalOperation";
import type { Fact } from "../provider/lifecycle/vocabulary/evidence";
import { isUpdate } from "../provider/lifecycle/vocabulary/lock";
import { namespaceFlag } from "../topology/names";
import { timeInWords } from "../topology/timestamps";
import type { UnfinishedStatus } from "./clusterStatus";
import { unpaused } from "./unfinishedUpdate";

const ends = { failed: "failed", stopped: "was stopped" } as const;

/** An error with a container's log is long, and `timeline` has all of it. */
const longestWhy = 400;

/** @returns the operation that began last. */
export function lastOperation(journal: readonly JournalOperation[]): JournalOperation | undefined {
    return [...journal].sort((one, other) => other.began - one.began)[0];
}

/**
 * @param journal what the last operations did.
 * @param overdue the holder of a lock that is overdue. Default: nobody holds it.
 * @returns the last operation of an update if it did not reach its end. The controller goes on by itself, and a sweep finishes no update.
 */
export function unfinishedOperation(journal: readonly JournalOperation[], overdue?: string): UnfinishedStatus | null {
    const last = lastOperation(journal.filter((one) => isUpdate(one.holder)));
    if (last === undefined || last.outcome === "done") {
        return null;
    }
    const { what, outcome, began, ended = began, writtenAt = began, why, holder } = last;
    const lock = holder === overdue ? "does not renew its lock" : "holds no lock";
    const end =
        outcome === undefined
            ? `has not ended: it began at ${timeInWords(began)}, was last heard of at ${timeInWords(writtenAt)}, and ${lock}; if no \`pulumi up\` runs, it was interrupted`
            : `${ends[outcome]} at ${timeInWords(ended)}${why === undefined ? "" : `: ${shortened(why)}`}`;
    return { of: what, end };
}

/** A fault's message names its operation and the next step; without a full stop at its end, as another sentence follows. */
function shortened(why: string): string {
    const line = why.replace(/\s+/g, " ").trim();
    return line.length > longestWhy ? `${line.slice(0, longestWhy)}…` : line.replace(/\.$/, "");
}

/** @returns how the last operation ended, as a clause. */
export function lastInWords({ of, end }: UnfinishedStatus): string {
    return `the last operation, ${of}, ${end}`;
}

/** An update without anything to do writes nothing, so it does not end what stands before it. */
const mayBeOver =
    "If an update has ended well since then, nothing is left of it: an update in which no gate has a step writes no record, so this note stays until one has";

/**
 * @param showsMore whether the members show what is left of it.
 * @returns that the last operation did not reach its end: nothing else in a cluster shows why an update is half done.
 */
export function unfinishedWords(
    { cluster, namespace }: { cluster: string; namespace: string },
    unfinished: UnfinishedStatus,
    { isPaused, showsMore }: { isPaused: boolean; showsMore: boolean },
): string {
    const isSaid = / Next: .*run `pulumi up/.test(unfinished.end);
    // A stop says so itself.
    const goesOn = isPaused
        ? `To go on, ${unpaused}, then run \`pulumi up\`; `
        : isSaid
          ? ""
          : "`pulumi up` goes on with it; ";
    return `${lastInWords(unfinished)}. ${goesOn}\`npx pulumi-tidb timeline ${cluster}${namespaceFlag(namespace)}\` shows what it did${showsMore ? "" : `. ${mayBeOver}`}`;
}

/** @returns why it is not known how the last operation ended. */
export function unknownEnd(journal: Fact<readonly JournalOperation[]>): string[] {
    return journal.known ? [] : [`how the last operation ended is not known: ${journal.why}`];
}
