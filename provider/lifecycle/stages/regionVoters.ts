import { counted } from "../vocabulary/counted";
import type { ObservedPeer, ObservedRegion, RegionStatus } from "../vocabulary/observation";

/** The voters of regions, and whether they are a majority. Learners do not vote, so they do not matter. */

/** Maximum number of regions to list with `regions/check`. Each is about a kilobyte. */
export const mostShortRegions = 2_000;
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
export function hasMajorityOf(region: ObservedRegion, counts: (peer: ObservedPeer) => boolean): boolean {
    return spareVoters(region, counts) >= 0;
}

/** @returns how many of these voters the region can lose and keep its majority; below 0 if they are none. */
export function spareVoters({ peers }: ObservedRegion, counts: (peer: ObservedPeer) => boolean): number {
    return Math.min(
        ...configurations.map((roles) => {
            const voters = peers.filter(({ role }) => roles.includes(role));
            return voters.filter(counts).length - (Math.floor(voters.length / 2) + 1);
        }),
    );
}

/** @returns whether the region has a voter on the store. */
export function hasVoterOn({ peers }: ObservedRegion, storeId: number): boolean {
    return peers.some((peer) => peer.storeId === storeId && peer.role !== "learner");
}

/** @returns how many regions lack something; one that lacks two things counts twice. */
export function shortRegionsIn({ missPeer, downPeer, pendingPeer }: RegionStatus): number {
    return missPeer + downPeer + pendingPeer;
}

/** @returns what regions lack, in words. */
export function describeStatus({ missPeer, downPeer, pendingPeer }: RegionStatus): string {
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
