import type { LeaseView } from "../provider/cluster/leaseNotes";
import type { JournalOperation } from "../provider/lifecycle/journal/journalOperation";
import type { Fact } from "../provider/lifecycle/vocabulary/evidence";
import { isOverdue } from "../provider/lifecycle/vocabulary/lock";
import { approvalStatuses } from "../status/approvalStatus";
import { waitingRuns } from "../status/waitingRuns";
import { deadWords, heardWords } from "../status/statusWords";
import { leaseAnnotations } from "../topology/annotations";
import { leaseName } from "../topology/names";

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
    const { holder, operation, renewedAt } = lease.lock;
    const asOf = lease.asOf ?? now;
    const approvals = approvalStatuses(id, lease, asOf);
    const waits = [
        ...approvals.map(({ by, of, digest, heardAt }) => ({
            by,
            words: `${by} (${of} waits for approval of ${digest}, ${heardWords(heardAt, new Date(asOf).toISOString())})`,
        })),
        ...waitingRuns(journal, holder, now, approvals).map(({ by, of, for: what, heardAt }) => ({
            by,
            words: `${by} (${of} waits for ${what}, ${heardWords(heardAt, new Date(now).toISOString())})`,
        })),
    ].filter(({ by }) => by !== holder);
    const runs = waits.map(({ words }) => words).join("; ");
    if (holder !== undefined) {
        const others =
            waits.length === 0 ? "" : `. It is not meant for ${runs}: run \`stop\` again once nobody holds the lock`;
        const ends = isOverdue(lease.lock, asOf)
            ? deadWords(renewedAt === undefined ? null : new Date(renewedAt).toISOString())
            : "it ends at its next safe point";
        return `asked ${holder} to stop (${operation ?? "an operation"}); ${ends}${others}`;
    }
    const asked = waits.length === 0 ? "" : ` What waits ends soon, if it still lives: ${runs}.`;
    const withdrawal = `kubectl annotate lease ${leaseName(id.cluster)} --namespace ${id.namespace} ${leaseAnnotations.stop}-`;
    return `no run holds the lock of ${id.namespace}/${id.cluster} now.${asked} The request is recorded for an update that is under way, such as between two members: it ends before its next step. An update whose first gate reads the cluster later is not stopped, so the next \`pulumi up\` runs as usual. To withdraw the request: \`${withdrawal}\``;
}
