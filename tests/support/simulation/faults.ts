import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { Component } from "../../../topology/members";
import type { Fault } from "./fault";
import { isCordoned, isFull, nodeOf, stopPod } from "./kubernetes";
import { strikeRegions } from "./regionFaults";
import { at as timeOf, liveStores, podNameOf } from "./truth";
import type { Pod, Server, World } from "./world";

/** Triggers the faults that wait for this action. */
export function noteAction(world: World, action: Action["do"]): void {
    for (const fault of world.faults) {
        const { after } = fault;
        if (after?.action === action) {
            after.nth -= 1;
            if (after.nth < 0) {
                fault.at += world.now;
                fault.after = undefined;
            }
        }
    }
}

/** Starts a fault. */
export function strike(world: World, fault: Fault): void {
    world.log.push(`${timeOf(world)} fault ${JSON.stringify({ ...fault, at: undefined })}`);
    const until = world.now + fault.seconds * 1000;
    const cluster = world.clusters[fault.on ?? "ours"];
    switch (fault.kind) {
        case "pod-deleted":
            return stopPod(world, cluster, podNameOf(cluster, fault.component, fault.ordinal));
        case "crash":
            return onPod(world, fault, (pod) => (pod.crashedUntil = until));
        case "sidecar-down":
            return onPod(world, fault, (pod) => (pod.sidecarDownUntil = until));
        case "node-down":
        case "node-cut":
            return onPod(world, fault, (pod) => {
                const node = nodeOf(cluster, pod);
                node.cutSince = world.now;
                node.cutUntil = until;
                node.downUntil = fault.kind === "node-down" ? until : node.downUntil;
            });
        case "node-cordoned":
            return onPod(world, fault, (pod) => {
                const node = nodeOf(cluster, pod);
                node.cordonedSince = isCordoned(world, node) ? node.cordonedSince : world.now;
                node.cordonedUntil = until;
            });
        case "nodes-full":
            cluster.fullSince = isFull(world, cluster) ? cluster.fullSince : world.now;
            cluster.fullUntil = until;
            return;
        case "api-unreachable":
        case "api-slow":
            return impair(cluster, fault.kind === "api-unreachable", until, world);
        case "pd-unreachable":
        case "pd-slow":
            return impair(world.pd, fault.kind === "pd-unreachable", until, world);
        case "evictions-stuck":
            world.evictionsStuckUntil = until;
            return;
        case "eviction-lost":
            for (const [id, { owner }] of world.pd.evictions) {
                if (owner !== "somebody") {
                    world.pd.evictions.delete(id);
                    world.pd.leadership?.evicted.delete(id);
                }
            }
            return;
        case "pd-leader-moves": {
            const to = world.pd.members.find(({ name }) => name !== world.pd.leadership?.leader);
            world.pd.transfer = to && { to: to.name, at: world.now };
            return;
        }
        case "pd-clock-jumps":
            world.pd.clock += (fault.seconds % 3 === 0 ? -1 : 1) * Math.min(fault.seconds, 5) * 1000;
            return;
        case "keeps-paused":
            world.pd.keepsPaused = true;
            return;
        case "misplaced":
        case "peers-lag":
        case "peer-lost":
        case "joint-stuck":
        case "leaderless":
        case "region-moves":
        case "leaders-move":
            return strikeRegions(world, fault.kind, fault.region, until);
        case "gauge-gone":
            return liveStores(world, "tikv")
                .filter(({ podName }) => podName.endsWith(`-${fault.ordinal}`))
                .forEach((store) => (store.gaugeGoneUntil = until));
        case "store-busy":
            return liveStores(world, "tikv")
                .filter(({ podName }) => podName.endsWith(`-${fault.ordinal}`))
                .forEach((store) => (store.busy = { since: world.now, until }));
        case "limit-set": {
            const limit = 2 ** (fault.ordinal + 1);
            world.pd.limits.schedule = limit;
            world.pd.schedule = { by: "somebody", since: world.now, bySomebody: limit };
            return;
        }
        case "foreign-eviction": {
            const store = liveStores(world, "tikv").find(({ podName }) => podName.endsWith(`-${fault.ordinal}`));
            if (store && world.pd.leadership?.isLoaded && !world.pd.evictions.has(store.id)) {
                world.pd.evictions.set(store.id, { owner: "somebody", since: world.now });
                world.pd.leadership.evicted.add(store.id);
            }
            return;
        }
        case "list": {
            const stores = liveStores(world);
            const store = stores[fault.ordinal % Math.max(1, stores.length)];
            world.pd.list = store && { kind: fault.list, until, store: store.id };
            return;
        }
    }
}

/** Ends all faults, current and future ones. */
export function heal(world: World): void {
    world.faults = [];
    world.delays.login = 0;
    world.evictionsStuckUntil = 0;
    world.pd.list = undefined;
    world.pd.keepsPaused = false;
    world.pd.leadership?.paused.clear();
    for (const server of [world.pd, world.clusters.ours, world.clusters.theirs]) {
        server.unreachableUntil = server.slowUntil = 0;
    }
    for (const cluster of [world.clusters.ours, world.clusters.theirs]) {
        Object.values(cluster.nodes).forEach((node) => (node.cutUntil = node.downUntil = node.cordonedUntil = 0));
        cluster.fullUntil = 0;
        cluster.pods.forEach((pod) => (pod.crashedUntil = pod.sidecarDownUntil = 0));
    }
    world.stores.forEach((store) => {
        store.gaugeGoneUntil = 0;
        store.busy = undefined;
    });
    for (const region of world.regions) {
        region.shortUntil = region.jointUntil = region.leaderlessUntil = 0;
        region.changedAt = Math.min(region.changedAt, world.now);
        region.peers.forEach((peer) => (peer.behindUntil = Math.min(peer.behindUntil, world.now + 2_000)));
    }
    // Evictions by somebody else block every restart of another store until they are ended.
    for (const [id, { owner }] of world.pd.evictions) {
        if (owner === "somebody") {
            world.pd.evictions.delete(id);
            world.pd.leadership?.evicted.delete(id);
        }
    }
}

function impair(server: Server, isUnreachable: boolean, until: number, world: World): void {
    if (isUnreachable) {
        server.unreachableUntil = until;
    } else {
        server.slowUntil = until;
        world.log.push(`${timeOf(world)} slow until ${until}`);
    }
}

function onPod(
    world: World,
    fault: Fault & { component: Component; ordinal: number },
    change: (pod: Pod) => void,
): void {
    const cluster = world.clusters[fault.on ?? "ours"];
    const name = podNameOf(cluster, fault.component, fault.ordinal);
    cluster.pods.filter((pod) => pod.name === name).forEach(change);
}
