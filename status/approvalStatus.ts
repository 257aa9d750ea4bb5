import type { LeaseView } from "../provider/cluster/leaseNotes";
import { approveCommand, isCurrentConsent, openWaits } from "../provider/lifecycle/vocabulary/approvals";
import type { ApprovalStatus, ConsentStatus } from "./clusterStatus";

/**
 * Returns the runs that wait for a person's consent, the longest first. A run that was killed is forgotten after 90 s, or once another
 * one has used the consent.
 * @param now in milliseconds since 1970, by the API server's clock if it is known.
 */
export function approvalStatuses(
    { namespace, cluster }: { readonly namespace: string; readonly cluster: string },
    { approvalWaits, approvals }: LeaseView,
    now: number,
): ApprovalStatus[] {
    return openWaits(Object.values(approvalWaits ?? {}), approvals?.used, now)
        .sort((one, other) => one.since - other.since)
        .map(({ digest, of, lets, change = null, by, since, at }) => {
            const command = approveCommand(namespace, cluster, digest);
            const [sinceThen, heardAt] = [since, at].map((time) => new Date(time).toISOString());
            return { digest, of, lets, change, by, since: sinceThen, heardAt, command };
        });
}

/** Returns the consents that no run has used, the oldest first. */
export function consentStatuses({ approvals }: LeaseView, now: number): ConsentStatus[] {
    return Object.entries(approvals?.given ?? {})
        .sort(([, one], [, other]) => one.at - other.at)
        .map(([digest, consent]) => ({
            digest,
            by: consent.by,
            at: new Date(consent.at).toISOString(),
            counts: isCurrentConsent(consent, now),
        }));
}
