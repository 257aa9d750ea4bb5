import { storeById, storeRuns } from "./truth";
import type { Peer, Region, World } from "./world";

/** How long a region has no leader before its peers elect one. */
const electionMilliseconds = 4_000;

/** The time without contact after which a leader reports a peer as down (`raftstore.max-peer-down-duration`). */
const downMilliseconds = 600_000;

/**
 * @returns the configurations of the region that each need a majority: two while its members change (joint consensus)
 */
function configurationsOf({ peers }: Pick<Region, "peers">): Peer[][] {
    const isJoint = peers.some(({ role }) => role === "incoming" || role === "demoting");
    const withRole = (...roles: Peer["role"][]) => peers.filter(({ role }) => roles.includes(role));
    return isJoint ? [withRole("voter", "incoming"), withRole("voter", "demoting")] : [withRole("voter")];
}

/** @returns whether the healthy peers are a majority in each configuration */
export function hasMajority(region: Pick<Region, "peers">, isWell: (peer: Peer) => boolean): boolean {
    return configurationsOf(region).every((voters) => voters.filter(isWell).length * 2 > voters.length);
}

export function isBehind({ now }: World, peer: Peer): boolean {
    return now < peer.behindUntil;
}

/** @returns whether the peer runs and has caught up */
export function isHealthy(world: World, peer: Peer): boolean {
    const store = storeById(world, peer.store);
    return store !== undefined && !isBehind(world, peer) && storeRuns(world, store);
}

export function isVoter({ role }: Peer): boolean {
    return role !== "learner";
}

/** Regions without a leader elect one if a majority runs. */
export function stepElections(world: World): void {
    for (const region of world.regions) {
        const leader = region.peers.find((peer) => peer.store === region.leader);
        const store = leader && storeById(world, leader.store);
        if (leader && isVoter(leader) && store && storeRuns(world, store)) {
            region.leaderlessSince = undefined;
            continue;
        }
        region.leaderlessSince ??= world.now;
        if (world.now - region.leaderlessSince >= electionMilliseconds && world.now >= region.leaderlessUntil) {
            elect(world, region);
        }
    }
}

function elect(world: World, region: Region): void {
    const runs = (peer: Peer) => {
        const store = storeById(world, peer.store);
        return store !== undefined && storeRuns(world, store);
    };
    const candidates = region.peers.filter((peer) => isVoter(peer) && isHealthy(world, peer));
    if (candidates.length > 0 && hasMajority(region, runs)) {
        lead(world, region, candidates[(region.id + world.nextId) % candidates.length].store);
    }
}

/** Makes a store the leader of the region. It reports to PD at once if it is connected. */
export function lead(world: World, region: Region, store: number): void {
    region.leader = store;
    region.leaderlessSince = undefined;
    reportRegion(world, region);
}

/** The region's leader reports the region to PD if its store is connected to PD's leader. */
export function reportRegion(world: World, region: Region): void {
    const { leadership } = world.pd;
    const store = region.leader === undefined ? undefined : storeById(world, region.leader);
    if (!leadership || !store || !leadership.connected.has(store.id) || !storeRuns(world, store)) {
        return;
    }
    const others = region.peers.filter((peer) => peer.store !== store.id);
    const isDown = (peer: Peer) => {
        const down = storeById(world, peer.store)?.down;
        return down !== undefined && world.now - down.since >= downMilliseconds;
    };
    leadership.heard.set(region.id, {
        leader: store.id,
        peers: region.peers.map((peer) => ({ ...peer })),
        behind: others.filter((peer) => isBehind(world, peer)).map((peer) => peer.store),
        down: others.filter(isDown).map((peer) => peer.store),
    });
}

/** @returns how many regions each store really leads; of one that leads none it may say nothing */
export function leadersByStore({ regions }: World): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const { leader } of regions) {
        if (leader !== undefined) {
            counts.set(leader, (counts.get(leader) ?? 0) + 1);
        }
    }
    return counts;
}

/** @returns how many regions the store really leads */
export function leadersOf(world: World, store: number): number {
    return world.regions.filter((region) => region.leader === store).length;
}

/** Changes the peers of a region. Its leader reports the change to PD at once; without a leader there is no change. */
export function changePeers(world: World, region: Region, peers: Peer[]): void {
    if (world.now < region.leaderlessUntil) {
        return;
    }
    region.peers = peers;
    region.changedAt = world.now;
    reportRegion(world, region);
}
