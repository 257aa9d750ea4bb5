import type { JournalOperation, WaitEntry } from "../provider/lifecycle/journal/journalOperation";
import type { Fact } from "../provider/lifecycle/vocabulary/evidence";
import type { ApprovalStatus, WaitingStatus } from "./clusterStatus";

/** A run writes a long wait once a minute. One that was not heard of for three may be dead. */
const heardWithin = 180_000;

/**
 * Returns the runs that wait without the lock. The journal shows them from 10 s on. A wait for approval is noted on the Lease, at once:
 * what the journal says of that run is over.
 * @param holder who holds the lock; undefined if nobody does.
 * @param approvals the waits for approval.
 */
export function waitingRuns(
    journal: Fact<readonly JournalOperation[]> | undefined,
    holder: string | undefined,
    now: number,
    approvals: readonly Pick<ApprovalStatus, "of" | "by">[],
): WaitingStatus[] {
    const all = journal?.known ? journal.value : [];
    return all.flatMap((operation) => {
        const isToldByLease =
            operation.holder === holder ||
            approvals.some(({ of, by }) => of === operation.what && by === operation.holder);
        const wait = isToldByLease ? undefined : freshWait(operation, all, now);
        return wait === undefined || wait.step === "approval"
            ? []
            : [
                  {
                      of: operation.what,
                      for: `${wait.target}: ${wait.last ?? wait.why}`,
                      by: operation.holder,
                      since: new Date(wait.at).toISOString(),
                      heardAt: new Date(operation.writtenAt ?? wait.at).toISOString(),
                  },
              ];
    });
}

/** Returns what an operation waits for, if it was heard of lately and no later operation has gone on with it. */
export function freshWait(
    { ended, writtenAt, what, began, entries }: JournalOperation,
    all: readonly Pick<JournalOperation, "what" | "began">[],
    now: number,
): WaitEntry | undefined {
    const isHeardOf = ended === undefined && writtenAt !== undefined && Math.abs(now - writtenAt) < heardWithin;
    const isResumed = all.some((one) => one.what === what && one.began > began);
    return isHeardOf && !isResumed
        ? entries.find((entry): entry is WaitEntry => entry.is === "wait" && entry.until === undefined)
        : undefined;
}
