import { isKnownByName } from "../lifecycle/vocabulary/observedPd";
import type { PdLeadership } from "../pd";

/** If only the leader's name is known, a longer gap may hide that the member lost the leadership and won it back. */
const longestGapMilliseconds = 5_000;

/**
 * Tracks how long this run itself has seen PD's leader lead. There is nothing else to go by if PD's etcd cannot be asked,
 * or if PD keeps no timestamps (with the microservice `tso`).
 */
export class LeadershipTracker {
    private seen: { term: string; since: number; last: number } | undefined;

    /** Records who leads. @param asked when the question was sent; @param answered when the answer came, by one clock. */
    track({ term }: Pick<PdLeadership, "term">, asked: number, answered: number): void {
        const { seen } = this;
        const isSame = seen?.term === term && (!isKnownByName({ term }) || asked - seen.last <= longestGapMilliseconds);
        this.seen = { term, since: isSame ? seen.since : answered, last: answered };
    }

    /** Records that PD could not be asked or has no leader. */
    reset(): void {
        this.seen = undefined;
    }

    /** @returns how long this leadership had been seen at `at`, in milliseconds. */
    heldFor({ term }: Pick<PdLeadership, "term">, at: number): number {
        return this.seen?.term === term ? Math.max(0, at - this.seen.since) : 0;
    }
}
