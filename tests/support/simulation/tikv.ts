import { defaultTimes } from "../../../sandbox/dataPlane/facts/defaultTimes";
import type { ClusterKey } from "./clusterKey";
import { nodeOf } from "./kubernetes";
import { leadersByStore, leadersOf, reportRegion } from "./regions";
import { clusterOf, podWithClaim, runs } from "./truth";
import type { Pod, Store, World } from "./world";

/** How long a returning store takes to catch up. */
const catchUpMilliseconds = 2_500;

/** Advances the processes of TiKV and TiFlash: they register, report, and lead regions. */
export function stepProcesses(world: World): void {
    for (const key of Object.keys(world.clusters) as ClusterKey[]) {
        for (const pod of world.clusters[key].pods) {
            if ((pod.component === "tikv" || pod.component === "tiflash") && runs(pod)) {
                stepProcess(world, key, pod);
            }
        }
    }
    for (const region of world.regions) {
        if (world.now >= region.nextHeartbeat) {
            region.nextHeartbeat = world.now + world.heartbeats.region;
            reportRegion(world, region);
        }
    }
    const leaders = leadersByStore(world);
    for (const store of world.stores) {
        const pod = podWithClaim(clusterOf(world, store), store.claim);
        const leads = runs(pod) && leaders.has(store.id);
        store.leadsSince = leads ? (store.leadsSince ?? world.now) : undefined;
        store.down = runs(pod) ? undefined : (store.down ?? { since: world.now, by: pod?.downBy ?? "container" });
    }
}

function stepProcess(world: World, key: ClusterKey, pod: Pod): void {
    const { leadership } = world.pd;
    let store = world.stores.find((one) => one.claim === pod.claim && one.of === key);
    if (!store && leadership) {
        store = register(world, key, pod);
    }
    if (!store) {
        return;
    }
    if (store.runsSince !== pod.runsSince) {
        begin(world, store, pod);
    }
    if (world.now >= store.nextHeartbeat) {
        store.nextHeartbeat = world.now + world.heartbeats.store;
        reportStore(world, store, pod);
    }
    if (world.now >= store.nextGauge) {
        store.nextGauge = world.now + defaultTimes.regionGauge;
        store.gauge = leadersOf(world, store.id) * world.weight;
    }
}

function register(world: World, key: ClusterKey, pod: Pod): Store {
    const store: Store = {
        id: world.nextId++,
        of: key,
        engine: pod.component as Store["engine"],
        podName: pod.name,
        claim: pod.claim,
        phase: "Serving",
        startedAt: 0,
        reportedAt: world.now,
        nextHeartbeat: world.now,
        nextGauge: world.now,
        gaugeGoneUntil: 0,
    };
    world.stores.push(store);
    world.pd.isBootstrapped ||= store.engine === "tikv";
    return store;
}

/** A new process has not counted anything yet, whatever it reports to PD, and its peers lag behind. */
function begin(world: World, store: Store, pod: Pod): void {
    store.runsSince = pod.runsSince;
    store.isTakenDown = undefined;
    store.gauge = undefined;
    store.nextGauge = world.now + defaultTimes.regionGauge;
    store.nextHeartbeat = world.now;
    world.pd.leadership?.connected.delete(store.id);
    for (const region of world.regions) {
        for (const peer of region.peers.filter((one) => one.store === store.id)) {
            peer.behindSince = peer.behindUntil > world.now ? peer.behindSince : world.now;
            peer.behindUntil = Math.max(peer.behindUntil, world.now + catchUpMilliseconds);
        }
    }
}

/**
 * Sends a store heartbeat to PD's leader. In kind R, the first one to a leader also reports all regions that the store
 * leads.
 */
function reportStore(world: World, store: Store, pod: Pod): void {
    const { leadership } = world.pd;
    if (!leadership) {
        return;
    }
    const isNew = !leadership.connected.has(store.id);
    leadership.connected.add(store.id);
    leadership.stores.set(store.id, world.now + pdClock(world));
    store.reportedAt = world.now;
    store.startedAt = pod.runsSince! + nodeOf(clusterOf(world, store), pod).clock;
    if (isNew && world.reconnects === "R") {
        world.regions.filter(({ leader }) => leader === store.id).forEach((region) => reportRegion(world, region));
    }
}

/** @returns how far the clock of PD's leader is ahead of the true time */
export function pdClock({ pd }: World): number {
    const leader = pd.members.find(({ name }) => name === pd.leadership?.leader);
    return pd.clock + (leader?.clock ?? 0);
}
