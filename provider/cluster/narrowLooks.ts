import { type EndedBy, withStoresNow } from "../lifecycle/vocabulary/endedBy";
import { covers, type LookOptions } from "../lifecycle/vocabulary/look";
import { isKnownByName, type Observation } from "../lifecycle/vocabulary/observation";
import { askMore } from "./closerLook";
import type { ClusterId } from "./clusterId";
import { type LeaseReader, type Observers, ofLease } from "./observeCluster";
import { observeStore } from "./observeStores";
import { readLease } from "./leaseView";
import type { ObservedApi } from "./observedApi";
import type { PdConnection } from "./pdConnection";

/**
 * What PD answers grows with its stores. During a wait, a PD with 1,000 stores is asked everything once a minute, and in
 * between only what can end the wait. A PD with three stores is asked everything nearly always.
 */
const millisecondsPerStore = 60;
const longestMilliseconds = 60_000;
/** How long after an observation of everything more may still be added to it. */
const addedWithinMilliseconds = 2_000;

/** An observation of everything. `changes`: of how many the watch had heard when it began. */
interface LastLook extends Pick<ObservedApi, "changes"> {
    readonly options: LookOptions;
    readonly at: number;
    readonly seen: Observation;
}

/** Saves questions during a wait: only what can end the wait is asked, and the rest is taken from the last observation. */
export class NarrowLooks {
    private last: LastLook | undefined;

    /**
     * @param now the run's own clock.
     * @param everyMilliseconds for how long one observation of everything is used, for each store that PD lists.
     */
    constructor(
        private readonly pd: Pick<PdConnection, "ask">,
        private readonly id: ClusterId,
        private readonly now: () => number,
        private readonly everyMilliseconds = millisecondsPerStore,
    ) {}

    /** Keeps an observation of everything. @param api what it was read from. */
    keep(options: LookOptions, { changes }: Pick<ObservedApi, "changes">, seen: Observation): Observation {
        this.last = { options, changes, at: this.now(), seen };
        return seen;
    }

    /** @returns the last observation with what these options ask for beyond it; `undefined` if everything must be asked. */
    async closer(options: LookOptions, observers: Observers): Promise<Observation | undefined> {
        const { last } = this;
        if (!last || last.seen.mayLag || this.now() - last.at > addedWithinMilliseconds) {
            return undefined;
        }
        const seen = await askMore(options, last.options, last.seen, this.id, observers, this.now);
        this.last = seen && { ...last, options, seen };
        return seen;
    }

    /**
     * @param api what the API server has said last, if no watch has heard of a change since.
     * @returns the last observation with what may have ended the wait since; `undefined` if everything must be asked.
     */
    async look(
        options: LookOptions,
        endedBy: EndedBy | undefined,
        api: ObservedApi,
        reader: LeaseReader,
    ): Promise<Observation | undefined> {
        const { last } = this;
        if (endedBy === undefined || api.mayLag !== true || !last || !covers(last.options, options)) {
            return undefined;
        }
        // A look that failed may have read a newer answer of the API server than the last one that was kept.
        if (last.changes !== api.changes) {
            return undefined;
        }
        const { pdTrouble, pd } = last.seen;
        const { stores, leadership } = pd;
        if (pdTrouble || !stores.known) {
            return undefined;
        }
        // Only if PD is asked often is it known that the leader has led all the time: see `LeadershipTracker`.
        if (leadership.known && isKnownByName(leadership.value)) {
            return undefined;
        }
        const usedFor = Math.min(longestMilliseconds, stores.value.length * this.everyMilliseconds);
        if (this.now() - last.at >= usedFor) {
            return undefined;
        }
        const [lease, seen] = await Promise.all([
            readLease(api, this.id.namespace, this.id.cluster),
            endedBy === "kubernetes" ? last.seen : this.withStores(endedBy.storeIds, last.seen),
        ]);
        return seen && { ...seen, ...ofLease(lease, reader), mayLag: true, now: this.now() };
    }

    private async withStores(storeIds: readonly number[], seen: Observation): Promise<Observation | undefined> {
        const stores = await this.pd
            .ask((client) => Promise.all(storeIds.map((one) => client.store(one))), seen.members.pd?.pods)
            // Why PD does not answer is found when it is asked everything.
            .catch(() => undefined);
        const listed = (stores ?? []).flatMap((one) => (one === undefined ? [] : [observeStore(one, this.id)]));
        return listed.length === storeIds.length ? withStoresNow(seen, listed) : undefined;
    }
}
