import { defaultHeartbeats } from "../../../provider/lifecycle/stages/trustedCounts";
import type { SimulatedProcess } from "./process";
import { hasMajority, isBehind, isVoter, isHealthy } from "./regions";
import { liveStores, storeById, storeRuns } from "./truth";
import type { Kubernetes, Peer, Region, Store, World } from "./world";
import { defaultTimes } from "../../../sandbox/dataPlane/facts/defaultTimes";

/**
 * Rule 2 for regions: a region that has a majority right before a store is taken down must have one after it. Failures
 * so recent that the process cannot know of them do not count. What runs have taken down themselves counts at once.
 */

/** The node reports a container that has ended with its next status. */
const containerMilliseconds = 1_500;
/** The interval of PD's region counts for its gauge, one round of its checker, and a little more. */
const countedMilliseconds = ({ patrolSeconds }: World): number =>
    defaultTimes.regionCount + patrolSeconds * 1000 + 2_000;

/** @returns the rule that is broken by taking the store down */
export function judgeMajorities(world: World, process: SimulatedProcess, store: Store): string | undefined {
    if (world.maxReplicas <= 2) {
        return undefined;
    }
    const lost = world.regions.find(
        (region) =>
            region.changedAt <= process.lookedAt - countedMilliseconds(world) &&
            region.peers.some((peer) => peer.store === store.id && isVoter(peer)) &&
            hasMajority(region, (peer) => isHealthy(world, peer)) &&
            !hasMajority(region, (peer) => peer.store !== store.id && seemsHealthy(world, process, peer)),
    );
    return lost && `rule 2: region ${lost.id} loses its majority (${describe(world, lost)})`;
}

/** @returns whether a run of the cluster has taken the store down. */
export function isDownByRun(cluster: Kubernetes, store: Store): boolean {
    return store.isTakenDown === true && store.of === cluster.key;
}

/**
 * Rule 16 for TiFlash: while runs have taken several stores down, each region that had a replica there has one left on another store.
 * @returns the rule that is broken by taking the store down beside others
 */
export function judgeTiflashReplicas(
    world: World,
    process: SimulatedProcess,
    cluster: Kubernetes,
    store: Store,
): string | undefined {
    const stores = liveStores(world, "tiflash");
    const beside = stores.filter((one) => one !== store && isDownByRun(cluster, one));
    const isReplica = (peer: Peer) => stores.some(({ id }) => id === peer.store);
    const lost = world.regions.find(
        (region) =>
            region.changedAt <= process.lookedAt - countedMilliseconds(world) &&
            region.peers.some((peer) => peer.store === store.id) &&
            !region.peers.some(
                (peer) => isReplica(peer) && peer.store !== store.id && seemsHealthy(world, process, peer),
            ),
    );
    return beside.length === 0 || lost === undefined
        ? undefined
        : `rule 16: beside ${beside.map(({ id }) => id).join(", ")}, region ${lost.id} loses its last replica on TiFlash`;
}

/** @returns whether the store was down for so long that a process that started a look at that time must know of it */
export function knownDown(world: World, process: SimulatedProcess, id: number): boolean {
    const store = storeById(world, id);
    if (!store?.down) {
        return false;
    }
    const interval = intervalFor(world, process);
    const delay = Math.max(interval * 1.5, interval + 2_000) + interval;
    // The other cluster's pods are in another namespace or another Kubernetes, so only PD reports its stores.
    const isSeen = store.down.by === "container" && store.of === process.cluster;
    return store.down.since <= process.lookedAt - (isSeen ? containerMilliseconds : delay);
}

/**
 * @returns how often stores report, as far as the process can know; a store that it cannot query counts with TiKV's
 * default
 */
function intervalFor(world: World, process: SimulatedProcess): number {
    const cannotAsk = liveStores(world, "tikv").some((one) => one.of !== process.cluster || !storeRuns(world, one));
    return cannotAsk ? Math.max(world.heartbeats.store, defaultHeartbeats.store) : world.heartbeats.store;
}

function seemsHealthy(world: World, process: SimulatedProcess, peer: Peer): boolean {
    const known = process.lookedAt - world.heartbeats.region - countedMilliseconds(world);
    const lags = isBehind(world, peer) && peer.behindSince <= known;
    const store = storeById(world, peer.store);
    const isOursDown = store?.isTakenDown === true && store.of === process.cluster;
    return !lags && !isOursDown && !knownDown(world, process, peer.store);
}

function describe(world: World, { peers }: Region): string {
    return peers
        .map((peer) => {
            const down = storeById(world, peer.store)?.down ? " down" : "";
            return `${peer.role} on ${peer.store}${isBehind(world, peer) ? " behind" : ""}${down}`;
        })
        .join(", ");
}
