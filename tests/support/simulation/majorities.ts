import { defaultHeartbeats } from "../../../provider/lifecycle/stages/soundness";
import type { SimulatedProcess } from "./process";
import { hasMajority, isBehind, isVoter, isWell } from "./regions";
import { liveStores, storeById, storeRuns } from "./truth";
import type { Peer, Region, Store, World } from "./world";
import { defaultTimes } from "../../../sandbox/dataPlane/facts/defaultTimes";

/**
 * Rule 2 on regions: one that has a majority right before a store is taken down has one after it. What went wrong so
 * recently that nobody can have told the process is not held against it.
 */

/** A container that has ended is reported at the node's next word. */
const containerMilliseconds = 1_500;
/** From PD's count of the regions for its gauge to the next one, and a little more. */
const countedMilliseconds = defaultTimes.regionCount + 2_000;

/** @returns the rule that is broken by taking the store down. */
export function judgeMajorities(world: World, process: SimulatedProcess, store: Store): string | undefined {
    if (world.maxReplicas <= 2) {
        return undefined;
    }
    const lost = world.regions.find(
        (region) =>
            region.changedAt <= process.lookedAt - countedMilliseconds &&
            region.peers.some((peer) => peer.store === store.id && isVoter(peer)) &&
            hasMajority(region, (peer) => isWell(world, peer)) &&
            !hasMajority(region, (peer) => peer.store !== store.id && seemsWell(world, process, peer)),
    );
    return lost && `rule 2: region ${lost.id} loses its majority (${describe(world, lost)})`;
}

/** @returns whether the store was down for long enough that a process that began to look then must have been told. */
export function knownDown(world: World, process: SimulatedProcess, id: number): boolean {
    const store = storeById(world, id);
    if (!store?.down) {
        return false;
    }
    const interval = intervalFor(world, process);
    const silence = Math.max(interval * 1.5, interval + 2_000) + interval;
    // The pods of another cluster are in another namespace, or in another Kubernetes: of its stores PD alone tells.
    const isSeen = store.down.by === "container" && store.of === process.cluster;
    return store.down.since <= process.lookedAt - (isSeen ? containerMilliseconds : silence);
}

/** @returns how often stores report, as the process can know it: what it cannot ask counts with TiKV's default. */
function intervalFor(world: World, process: SimulatedProcess): number {
    const cannotAsk = liveStores(world, "tikv").some((one) => one.of !== process.cluster || !storeRuns(world, one));
    return cannotAsk ? Math.max(world.heartbeats.store, defaultHeartbeats.store) : world.heartbeats.store;
}

function seemsWell(world: World, process: SimulatedProcess, peer: Peer): boolean {
    const known = process.lookedAt - world.heartbeats.region - countedMilliseconds;
    const lags = isBehind(world, peer) && peer.behindSince <= known;
    return !lags && !knownDown(world, process, peer.store);
}

function describe(world: World, { peers }: Region): string {
    return peers
        .map((peer) => {
            const down = storeById(world, peer.store)?.down ? " down" : "";
            return `${peer.role} on ${peer.store}${isBehind(world, peer) ? " behind" : ""}${down}`;
        })
        .join(", ");
}
