import type { LeaseView } from "../provider/cluster/leaseNotes";
import type { JournalOperation } from "../provider/lifecycle/journal/journalOperation";
import type { Fact } from "../provider/lifecycle/vocabulary/evidence";
import { approvalStatuses } from "../status/approvalStatus";
import { waitingRuns } from "../status/waitingRuns";
import { heardWords } from "../status/statusWords";

/**
 * Returns whom a request to stop has asked, in words. Runs that wait do not hold the lock.
 * @param lease the Lease as it was before the request.
 * @param journal what the last operations did.
 * @param now in milliseconds since 1970.
 */
export function stopAnswer(
    id: { readonly namespace: string; readonly cluster: string },
    lease: LeaseView,
    journal: Fact<readonly JournalOperation[]>,
    now: number,
): string {
    const { holder, operation } = lease.lock;
    const asOf = lease.asOf ?? now;
    const waits = [
        ...approvalStatuses(id, lease, asOf).map(({ by, of, digest, heardAt }) => ({
            by,
            words: `${by} (${of} waits for approval of ${digest}, ${heardWords(heardAt, new Date(asOf).toISOString())})`,
        })),
        ...waitingRuns(journal, holder, now).map(({ by, of, for: what, heardAt }) => ({
            by,
            words: `${by} (${of} waits for ${what}, ${heardWords(heardAt, new Date(now).toISOString())})`,
        })),
    ].filter(({ by }) => by !== holder);
    const runs = waits.map(({ words }) => words).join("; ");
    if (holder !== undefined) {
        const others =
            waits.length === 0 ? "" : `. It is not meant for ${runs}: run \`stop\` again once nobody holds the lock`;
        return `asked ${holder} to stop (${operation ?? "an operation"}); it ends at its next safe point${others}`;
    }
    const asked = waits.length === 0 ? "" : ` What waits ends soon, if it still lives: ${runs}.`;
    return `recorded a stop request for ${id.namespace}/${id.cluster}; no run holds the lock now.${asked} An update whose first gate has read the cluster ends before its next step; one that comes to its first gate later is not stopped`;
}
