import type { PdLeadership } from "../pd";

/** The same member may lose the leadership and win it back unseen in a longer gap, where only its name is known. */
const longestGapMilliseconds = 5_000;

/**
 * For how long this run itself has seen PD's leader lead. It is all that there is where PD's etcd cannot be asked, and
 * where PD keeps no timestamps (with the microservice `tso`).
 */
export class LeadershipTracker {
    private seen: { term: string; since: number; last: number } | undefined;

    /** Notes who leads. @param asked when that was asked for; @param answered when it was answered, by one clock. */
    track({ term }: Pick<PdLeadership, "term">, asked: number, answered: number): void {
        const { seen } = this;
        const onlyName = term.startsWith("name:");
        const isSame = seen?.term === term && (!onlyName || asked - seen.last <= longestGapMilliseconds);
        this.seen = { term, since: isSame ? seen.since : answered, last: answered };
    }

    /** Notes that nobody could be asked, or nobody leads. */
    reset(): void {
        this.seen = undefined;
    }

    /** @returns for how long this leadership had been seen at a moment, in milliseconds. */
    heldFor({ term }: Pick<PdLeadership, "term">, at: number): number {
        return this.seen?.term === term ? Math.max(0, at - this.seen.since) : 0;
    }
}
