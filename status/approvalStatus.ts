import type { LeaseView } from "../provider/cluster/leaseNotes";
import { approveCommand, isCurrentWait } from "../provider/lifecycle/vocabulary/approvals";
import type { ApprovalStatus } from "./clusterStatus";

/**
 * Returns the run that waits for a person's consent; null if none does. A run that was killed is forgotten after 90 s.
 * @param now in milliseconds since 1970, by the clock of the machine that read the Lease.
 */
export function approvalStatus(
    { namespace, cluster }: { readonly namespace: string; readonly cluster: string },
    { approvalWait: wait }: LeaseView,
    now: number,
): ApprovalStatus | null {
    if (wait === undefined || !isCurrentWait(wait, now)) {
        return null;
    }
    const { digest, of, lets, by, since } = wait;
    const command = approveCommand(namespace, cluster, digest);
    return { digest, of, lets, by, since: new Date(since).toISOString(), command };
}
