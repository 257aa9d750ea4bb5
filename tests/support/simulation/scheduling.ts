import { changePeers, isVoter, isHealthy, lead, leadersByStore } from "./regions";
import { storeState } from "./pd";
import { liveStores, storeById, storeRuns, zoneOf } from "./truth";
import type { Leadership, Peer, Region, Store, World } from "./world";

/** The number of regions that PD moves at the same time. */
const movesAtOnce = 6;
/** How long a new peer takes to catch up, and how long joint consensus lasts. */
const copyMilliseconds = 1_500;
/** At PD's default limit, and at a raised one. A real PD 8.5.4 evicted 7 times as fast at 64 as at 4. */
const leadersAStep = ({ pd }: World) => (pd.limits.schedule >= 64 ? 14 : 2);

/** Carries out PD's scheduling: moves leaders, moves regions off stores that are being removed, and places learners. */
export function stepScheduling(world: World): void {
    const { leadership } = world.pd;
    if (!leadership?.isLoaded) {
        return;
    }
    moveLeaders(world, leadership);
    for (const region of world.regions) {
        stepChange(world, region);
    }
    drain(world);
    placeLearners(world);
    makeTombstones(world);
}

function moveLeaders(world: World, leadership: Leadership): void {
    const kept = (id: number) => leadership.evicted.has(id) || leadership.paused.has(id);
    const stores = liveStores(world, "tikv").filter((store) => store.phase === "Serving" && storeRuns(world, store));
    const free = stores.filter(({ id }) => !kept(id));
    // All evicted stores are one scheduler's, which moves so many leaders at a time from all of them together.
    const evicted = stores.filter(({ id }) => leadership.evicted.has(id) && world.now >= world.evictionsStuckUntil);
    let left = leadersAStep(world);
    for (let moved = 1; left > 0 && moved > 0;) {
        moved = 0;
        for (const store of turned(evicted, world)) {
            moved += left > moved ? moveSome(world, leadership, store, free, 1) : 0;
        }
        left -= moved;
    }
    const leaders = leadersByStore(world);
    const counted = free.map((store) => ({ store, leaders: leaders.get(store.id) ?? 0 }));
    counted.sort((one, other) => one.leaders - other.leaders);
    // As PD does, the fullest stores are tried first, and with each the emptiest ones: not every pair has a region in common.
    for (const most of [...counted].reverse()) {
        for (const least of counted) {
            const surplus = (most.leaders - least.leaders) / 2;
            if (surplus < 1) {
                break;
            }
            if (moveSome(world, leadership, most.store, [least.store], surplus) > 0) {
                return;
            }
        }
    }
}

/** Each step begins with another store, as PD takes them in no order. */
function turned(stores: readonly Store[], { now }: World): Store[] {
    const first = stores.length === 0 ? 0 : Math.floor(now / 100) % stores.length;
    return [...stores.slice(first), ...stores.slice(0, first)];
}

/** @returns how many leaders it has moved: at most so many, and no more than PD moves at once */
function moveSome(world: World, leadership: Leadership, from: Store, to: Store[], surplus: number): number {
    const most = Math.min(leadersAStep(world), surplus);
    let moved = 0;
    for (const region of world.regions) {
        if (moved >= most) {
            break;
        }
        // PD acts on what it knows: a region whose leader was not reported stays.
        if (region.leader === from.id && leadership.heard.get(region.id)?.leader === from.id) {
            const target = region.peers.find(
                (peer) => isVoter(peer) && isHealthy(world, peer) && to.some(({ id }) => id === peer.store),
            );
            if (target) {
                lead(world, region, target.store);
                moved += 1;
            }
        }
    }
    return moved;
}

/**
 * Continues a change of members: a learner that has caught up becomes a voter in joint consensus, which is then left.
 */
function stepChange(world: World, region: Region): void {
    const { peers } = region;
    const { now } = world;
    if (peers.some(({ role }) => role === "incoming" || role === "demoting")) {
        if (now - region.changedAt >= copyMilliseconds && now >= region.jointUntil) {
            const left = peers.filter(({ role }) => role !== "demoting");
            const next = left.map((peer): Peer => (peer.role === "incoming" ? { ...peer, role: "voter" } : peer));
            changePeers(world, region, next);
            if (!next.some((peer) => peer.store === region.leader)) {
                region.leader = undefined;
            }
        }
        return;
    }
    const abandoned = peers.find(({ role, store }) => role === "learner" && isTikv(world, store));
    if (
        abandoned &&
        !peers.some(({ store }) => world.stores.some(({ id, phase }) => id === store && phase === "Offline"))
    ) {
        changePeers(
            world,
            region,
            peers.filter((peer) => peer !== abandoned),
        );
        return;
    }
    const voters = peers.filter(isVoter).length;
    const isShort = voters < world.maxReplicas && now >= region.shortUntil;
    if (isShort && voters < liveStores(world, "tikv").length) {
        const [target] = placesFor(world, region, "tikv");
        if (target) {
            changePeers(world, region, [...peers, newPeer(world, target.id, "voter")]);
        }
    }
}

/** The stores that can take a peer of the region: Up, not being removed, and without a peer of it. */
function placesFor(world: World, region: Region, engine: Store["engine"]): Store[] {
    return liveStores(world, engine)
        .filter(
            (store) =>
                store.phase === "Serving" &&
                storeRuns(world, store) &&
                storeState(world, store.id) === "Up" &&
                !region.peers.some((peer) => peer.store === store.id),
        )
        .sort(
            (one, other) =>
                sharingZone(world, region, one) - sharingZone(world, region, other) ||
                peersOn(world, one.id) - peersOn(world, other.id),
        );
}

/** @returns how many voters of the region are in the zone of the store. PD avoids such places as far as it can. */
function sharingZone(world: World, { peers }: Region, store: Store, except?: Peer): number {
    const others = world.stores.filter(({ id }) =>
        peers.some((peer) => peer !== except && isVoter(peer) && peer.store === id),
    );
    return world.zones === 0 ? 0 : others.filter((one) => zoneOf(world, one) === zoneOf(world, store)).length;
}

export function peersOn(world: World, store: number): number {
    return world.regions.filter(({ peers }) => peers.some((peer) => peer.store === store)).length;
}

function newPeer(world: World, store: number, role: Peer["role"]): Peer {
    return { store, role, behindUntil: world.now + copyMilliseconds, behindSince: world.now };
}

/** Moves regions off the stores that are being removed, a few at a time. */
function drain(world: World): void {
    let moving = 0;
    for (const store of world.stores.filter(({ phase }) => phase === "Offline")) {
        for (const region of world.regions) {
            const peer = region.peers.find((one) => one.store === store.id);
            if (!peer || moving >= movesAtOnce) {
                continue;
            }
            if (peer.role === "learner") {
                changePeers(
                    world,
                    region,
                    region.peers.filter((one) => one !== peer),
                );
                continue;
            }
            moving += startMove(world, region, peer) ? 1 : 0;
        }
    }
}

/**
 * @returns whether the region moves off the peer's store; the new voter is added and the old one demoted in one step
 */
export function startMove(world: World, region: Region, from: Peer): boolean {
    if (region.peers.some(({ role }) => role === "incoming" || role === "demoting")) {
        return false;
    }
    const copying = region.peers.find(({ role, store }) => role === "learner" && isTikv(world, store));
    if (copying) {
        if (isHealthy(world, copying)) {
            const peers = region.peers.map((peer): Peer => {
                if (peer === copying) {
                    return { ...peer, role: "incoming" };
                }
                return peer === from ? { ...peer, role: "demoting" } : peer;
            });
            changePeers(world, region, peers);
        }
        return true;
    }
    // A move never makes the isolation worse (tikv/pd pkg/schedule/filter, `NewLocationSafeguard`), unless the store is being removed
    // (pkg/schedule/checker/replica_strategy.go, `SelectStoreToFix`).
    const now = world.stores.find(({ id, phase }) => id === from.store && phase !== "Offline");
    const most = now === undefined ? Infinity : sharingZone(world, region, now, from);
    const target = placesFor(world, region, "tikv").find((store) => sharingZone(world, region, store, from) <= most);
    if (target) {
        changePeers(world, region, [...region.peers, newPeer(world, target.id, "learner")]);
    }
    return target !== undefined;
}

function isTikv(world: World, store: number): boolean {
    return storeById(world, store)?.engine === "tikv";
}

/** Places the TiFlash replicas of the tables: learners, as many as PD's rule says, and none without a rule. */
function placeLearners(world: World): void {
    for (const region of world.regions) {
        const learners = region.peers.filter(({ role, store }) => role === "learner" && !isTikv(world, store));
        if (learners.length < world.tiflashReplicas) {
            const [target] = placesFor(world, region, "tiflash");
            if (target) {
                changePeers(world, region, [...region.peers, newPeer(world, target.id, "learner")]);
            }
        } else if (learners.length > world.tiflashReplicas) {
            changePeers(
                world,
                region,
                region.peers.filter((peer) => peer !== learners[0]),
            );
        }
    }
}

/** A store that is being removed becomes Tombstone once it has no peers. */
function makeTombstones(world: World): void {
    for (const store of world.stores.filter(({ phase }) => phase === "Offline")) {
        if (peersOn(world, store.id) === 0) {
            store.phase = "Tombstone";
        }
    }
}
