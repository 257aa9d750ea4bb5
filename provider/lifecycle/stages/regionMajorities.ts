import type { ObservedPeer, ObservedRegion, RegionStatus } from "../vocabulary/observation";
import { mostVoters } from "./placement";
import { timeoutWithPd, settledLeadership } from "./trustedCounts";
import { type Finding, lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { isOnlyStore, isStopped } from "./stores";
import { counted } from "../vocabulary/counted";

/** Whether the regions of a store keep their majority while it is down. Learners do not vote, so they do not matter. */

/** Maximum number of regions to list with `regions/check`. Each is about a kilobyte. */
const mostShortRegions = 2_000;
/** Maximum number of regions to list for one store: 10 to 20 MB, which arrive within the seconds that an observation may take. */
export const mostRegionsOfStore = 20_000;

/** The voters of the new and of the old configuration. They are the same unless the region's peers are changing. */
const configurations: readonly (readonly ObservedPeer["role"][])[] = [
    ["voter", "incoming"],
    ["voter", "demoting"],
];

/** @returns whether the region keeps its majority without the store. During a peer change, this must hold in the old and the new configuration. */
export function keepsMajority(region: ObservedRegion, storeId: number): boolean {
    return hasMajorityOf(region, (peer) => peer.storeId !== storeId && !peer.isBehind);
}

/** @returns whether these of the region's voters are a majority, in the old and the new configuration. */
export function hasMajorityOf({ peers }: ObservedRegion, counts: (peer: ObservedPeer) => boolean): boolean {
    return configurations.every((roles) => {
        const voters = peers.filter(({ role }) => roles.includes(role));
        return voters.filter(counts).length >= Math.floor(voters.length / 2) + 1;
    });
}

/** With one or two voters a restart never leaves a majority. If all voters are healthy, PD is configured that way. */
function isKeptSoSmall({ peers }: ObservedRegion, most: number): boolean {
    const voters = peers.filter(({ role }) => role !== "learner");
    return most <= 2 && voters.length <= 2 && voters.every(({ isBehind }) => !isBehind);
}

function hasVoterOn({ peers }: ObservedRegion, storeId: number): boolean {
    return peers.some((peer) => peer.storeId === storeId && peer.role !== "learner");
}

/** No region with a voter on this store would lose its majority if the store restarted. */
export const majoritiesStay: Stage = {
    name: "majorities-stay",
    holds: (view) => {
        if (isOnlyStore(view) || isStopped(view)) {
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
    advice: "wait until PD has repaired these regions (pd-ctl region check miss-peer | down-peer | pending-peer)",
};

function judge(view: PodView, status: RegionStatus, most: number): Finding {
    const { store } = view;
    if (total(status) === 0) {
        return true;
    }
    if (!store) {
        return { lacks: `PD lists no store for ${view.podName}` };
    }
    const few = total(status) <= mostShortRegions;
    if (!few && store.regionCount > mostRegionsOfStore) {
        return { lacks: `${describe(status)}: too many to check individually`, left: total(status) };
    }
    const { shortRegions } = view.pd;
    const regions = few ? "short" : { ofStore: store.id };
    if (!shortRegions.known) {
        return lacksFact(shortRegions, "regions that lack a peer are", { regions });
    }
    const { ofStore, ofStores, regions: listed } = shortRegions.value;
    if (ofStores !== undefined || (ofStore !== undefined && ofStore !== store.id)) {
        return { look: { regions } };
    }
    const endangered = listed.filter(
        (region) => hasVoterOn(region, store.id) && !keepsMajority(region, store.id) && !isKeptSoSmall(region, most),
    );
    return endangered.length === 0
        ? true
        : {
              lacks: `${endangeredWords(endangered)} majority without store ${store.id} (${describe(status)})`,
              left: endangered.length,
          };
}

/** Same as `majoritiesStay`, so leaders are not moved in vain. It is skipped while they move: only the restart needs it. */
export const majoritiesStayBeforeEviction: Stage = {
    ...majoritiesStay,
    holds: (view) => {
        const { evictedStores } = view.pd;
        const isEvicted =
            view.store !== undefined && evictedStores.known && evictedStores.value.includes(view.store.id);
        return isEvicted ? true : majoritiesStay.holds(view);
    },
};

function total({ missPeer, downPeer, pendingPeer }: RegionStatus): number {
    return missPeer + downPeer + pendingPeer;
}

function describe({ missPeer, downPeer, pendingPeer }: RegionStatus): string {
    const parts: [number, string][] = [
        [missPeer, missPeer === 1 ? "is missing a peer" : "are missing a peer"],
        [downPeer, downPeer === 1 ? "has a down peer" : "have a down peer"],
        [pendingPeer, pendingPeer === 1 ? "has a pending peer" : "have a pending peer"],
    ];
    return parts
        .filter(([count]) => count > 0)
        .map(([count, words]) => `${counted(count, "region")} ${words}`)
        .join(", ");
}

function endangeredWords(regions: readonly { id: number }[]): string {
    const [{ id }, ...others] = regions;
    return others.length === 0
        ? `region ${id} would lose its`
        : `${regions.length} regions, including ${id}, would lose their`;
}
