import type { RegionFault } from "./fault";
import { changePeers, isVoter, lead } from "./regions";
import { startMove } from "./scheduling";
import { liveStores, storeById, storeRuns, zoneOf } from "./truth";
import type { Region, World } from "./world";

/** The number of regions that one fault affects. With fewer than 90% of the regions reported, PD never loads its schedulers. */
const regionsAtOnce = (kind: RegionFault) => (kind === "leaderless" ? 1 : 3);

/** Applies a fault to a few regions, starting with the `first`. */
export function strikeRegions(world: World, kind: RegionFault, first: number, until: number): void {
    const { regions } = world;
    for (let index = 0; index < Math.min(regionsAtOnce(kind), regions.length); index++) {
        strike(world, kind, regions[(first + index) % regions.length], until);
    }
}

function strike(world: World, kind: RegionFault, region: Region, until: number): void {
    const voters = region.peers.filter(isVoter);
    const follower = voters.find((peer) => peer.store !== region.leader);
    if (!follower || region.leader === undefined) {
        return;
    }
    switch (kind) {
        case "peers-lag":
            follower.behindSince = world.now;
            follower.behindUntil = until;
            return;
        case "peer-lost":
            // At least two voters always remain.
            if (voters.length > 2 && voters.every(({ role }) => role === "voter")) {
                region.peers = region.peers.filter((peer) => peer !== follower);
                region.shortUntil = until;
                region.changedAt = world.now;
                lead(world, region, region.leader);
            }
            return;
        case "joint-stuck":
            region.jointUntil = until;
            startMove(world, region, follower);
            return;
        case "leaderless":
            // A PD leader that begins meanwhile hears nothing of the region, and its counts do not add up.
            region.leader = undefined;
            region.leaderlessUntil = region.changedAt = until;
            return;
        case "misplaced": {
            // As after labels of stores were changed: two voters in one zone.
            const other = voters.find((peer) => peer !== follower);
            const zone = other && storeById(world, other.store);
            const place = liveStores(world, "tikv").find(
                (store) =>
                    zone !== undefined &&
                    store.phase === "Serving" &&
                    storeRuns(world, store) &&
                    zoneOf(world, store) === zoneOf(world, zone) &&
                    !region.peers.some((peer) => peer.store === store.id),
            );
            if (place && voters.every(({ role }) => role === "voter")) {
                const peers = region.peers.map((peer) => (peer === follower ? { ...peer, store: place.id } : peer));
                changePeers(world, region, peers);
            }
            return;
        }
        case "region-moves":
            startMove(world, region, follower);
            return;
        case "leaders-move":
            if (follower.behindUntil <= world.now) {
                lead(world, region, follower.store);
            }
    }
}
