import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { ObservedLeadership } from "../lifecycle/vocabulary/observation";
import type { PdClient, PdLeadership } from "../pd";
import type { LeadershipTracker } from "./leadershipTracker";

/** A scheduler that PD always has. While it is not listed, PD has not loaded the schedulers from before its election. */
const defaultScheduler = "balance-leader-scheduler";

/** The answers about PD's leadership. */
export interface LeadershipReads {
    before: Fact<PdLeadership>;
    /** Read after everything else of the observation. */
    after: Fact<PdLeadership>;
    /** Whether PD had loaded its schedulers. */
    schedulers: Fact<boolean>;
    regionCount: Fact<number>;
    look: { watch: LeadershipTracker };
}

/** @returns whether PD has loaded its schedulers. */
export async function hasSchedulers(client: PdClient): Promise<boolean> {
    return (await client.schedulers()).includes(defaultScheduler);
}

/** @returns who leads PD, and whether that stayed the same during the observation. Not known if any part of it is not. */
export function observeLeadership({
    before,
    after,
    schedulers,
    regionCount,
    look,
}: LeadershipReads): Fact<ObservedLeadership> {
    if (!before.known) {
        return before;
    }
    const { leader, term, heldForMilliseconds = 0, since } = before.value;
    if (leader === undefined) {
        return notKnown("PD has no leader");
    }
    if (!schedulers.known) {
        return schedulers;
    }
    if (!regionCount.known) {
        return regionCount;
    }
    const isSteady = after.known && after.value.term === term;
    if (!isSteady) {
        look.watch.reset();
    }
    const leadership: ObservedLeadership = {
        leader,
        term,
        heldFor: Math.max(heldForMilliseconds, look.watch.heldFor(before.value, before.at)),
        since: since?.getTime(),
        isSteady,
        hasSchedulers: schedulers.value,
        regionCount: regionCount.value,
    };
    return known(leadership, before.from, before.at);
}
