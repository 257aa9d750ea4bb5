import type { ObservedRegion, RegionStatus } from "../vocabulary/observation";
import { batchMates } from "./batches/batchMates";
import { mostVoters } from "./placement";
import {
    describeStatus,
    hasVoterOn,
    keepsMajority,
    mostRegionsOfStore,
    mostShortRegions,
    shortRegionsIn,
} from "./regionVoters";
import { timeoutWithPd, settledLeadership } from "./trustedCounts";
import { type Finding, lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { isOnlyStore, isStopped, isUp, storesOf } from "./stores";

/** Whether the regions of a store keep their majority while it is down. Learners do not vote, so they do not matter. */

/** A region with one or two voters loses its majority in any restart. If all of them are healthy, PD is configured to keep that few. */
function isKeptSoSmall({ peers }: ObservedRegion, most: number): boolean {
    const voters = peers.filter(({ role }) => role !== "learner");
    return most <= 2 && voters.length <= 2 && voters.every(({ isBehind }) => !isBehind);
}

/**
 * No region with a voter on this store would lose its majority if the store restarted. Voters that are missing, down or pending do not
 * count for it.
 */
export const majoritiesStay: Stage = {
    name: "majorities-stay",
    holds: (view) => {
        // The proof of the whole batch is that of each of its stores, too.
        if (isOnlyStore(view) || isStopped(view) || batchMates(view).length > 0) {
            return true;
        }
        const { regionStatus, placement } = view.pd;
        if (!placement.known) {
            return lacksFact(placement, "the number of replicas that PD keeps is", { parts: ["placement"] });
        }
        if (!regionStatus.known) {
            return lacksFact(regionStatus, "regions that lack a peer are", { parts: ["region-status"] });
        }
        const leadership = settledLeadership(view.observation);
        if (!leadership.known) {
            return lacksFact(leadership, "PD's counts of regions are");
        }
        return judge(view, regionStatus.value, mostVoters(placement.value));
    },
    timeout: timeoutWithPd,
    // Peers that lag behind catch up, and PD adds those that are missing, where no store is lacking.
    heals: ({ observation }) => storesOf(observation, "tikv")?.every(isUp) === true,
    advice: "wait until PD has repaired these regions (pd-ctl region check miss-peer | down-peer | pending-peer)",
};

function judge(view: PodView, status: RegionStatus, most: number): Finding {
    const { store } = view;
    if (shortRegionsIn(status) === 0) {
        return true;
    }
    if (!store) {
        return { lacks: `PD lists no store for ${view.podName}` };
    }
    const few = shortRegionsIn(status) <= mostShortRegions;
    if (!few && store.regionCount > mostRegionsOfStore) {
        return { lacks: `${describeStatus(status)}: too many to check individually`, left: shortRegionsIn(status) };
    }
    const { shortRegions } = view.pd;
    const regions = few ? "short" : { ofStore: store.id };
    if (!shortRegions.known) {
        return lacksFact(shortRegions, "regions that lack a peer are", { regions });
    }
    const { ofStore, ofStores, regions: listed } = shortRegions.value;
    const stores = ofStore === undefined ? ofStores : [ofStore];
    if (stores !== undefined && !stores.includes(store.id)) {
        return { look: { regions } };
    }
    const endangered = listed.filter(
        (region) => hasVoterOn(region, store.id) && !keepsMajority(region, store.id) && !isKeptSoSmall(region, most),
    );
    return endangered.length === 0
        ? true
        : {
              lacks: `${endangeredWords(endangered)} majority without store ${store.id} (${describeStatus(status)})`,
              left: endangered.length,
          };
}

/** Checks `majoritiesStay` already before the eviction, so leaders do not move for nothing. It is skipped once the eviction has begun. */
export const majoritiesStayBeforeEviction: Stage = {
    ...majoritiesStay,
    holds: (view) => {
        const { evictedStores } = view.pd;
        const isEvicted =
            view.store !== undefined && evictedStores.known && evictedStores.value.includes(view.store.id);
        return isEvicted ? true : majoritiesStay.holds(view);
    },
};

function endangeredWords(regions: readonly { id: number }[]): string {
    const [{ id }, ...others] = regions;
    return others.length === 0
        ? `region ${id} would lose its`
        : `${regions.length} regions, including ${id}, would lose their`;
}
