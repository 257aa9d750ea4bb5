import type { ObservedApi } from "../../../provider/cluster/observedApi";
import { type WatchedCluster, watchedApi } from "../../../provider/cluster/watch/clusterWatch";
import { claimOf, nodeAnswer, podsOf, statefulSetOf } from "./kubernetesApi";
import type { Kubernetes, World } from "./world";
import type { Component } from "../../../topology/members";

/** States that are less than this share of the lag apart count as one. */
const shareOfLag = 10;

/** What a watch knows of the model's Kubernetes. */
export interface ModelWatch {
    /** Remembers the state of now. */
    note(): void;
    /** The state as it was when the watch last heard of it. Undefined if there is no watch. */
    known(): ObservedApi | undefined;
}

/** @returns the watch of one process. It hears of each change `world.watchLag` late. */
export function createModelWatch(world: World, cluster: Kubernetes): ModelWatch {
    let heard: { at: number; seen: WatchedCluster }[] = [];
    const { watchLag = 0 } = world;
    const note = () => {
        const last = heard.at(-1);
        if (last === undefined || world.now - last.at >= watchLag / shareOfLag) {
            heard.push({ at: world.now, seen: snapshot(world, cluster) });
        }
    };
    return {
        note,
        known: () => {
            if (world.watchLag === undefined) {
                return undefined;
            }
            note();
            const older = heard.filter(({ at }) => at <= world.now - watchLag);
            heard = heard.slice(Math.max(0, older.length - 1));
            return watchedApi(heard[0].seen);
        },
    };
}

function snapshot(world: World, cluster: Kubernetes): WatchedCluster {
    const names = Object.keys(cluster.statefulSets).map((component) => `${cluster.name}-${component}`);
    const statefulSets = new Map(names.map((name) => [name, statefulSetOf(cluster, name)]));
    const components = [...new Set(cluster.pods.map(({ component }) => component))];
    const pods = new Map(components.map((component) => [component, podsOf(cluster, [component])]));
    const claims = cluster.claims.map((claim) => claimOf(cluster, claim));
    const podsOfAll = (some: readonly Component[]) => some.flatMap((component) => pods.get(component) ?? []);
    return {
        lease: structuredClone(cluster.lease),
        reads: {
            statefulSet: (name) => Promise.resolve(statefulSets.get(name)),
            pods: (some) => Promise.resolve(podsOfAll(some)),
            claims: () => Promise.resolve(claims),
            node: (name) => Promise.resolve(nodeAnswer(world, cluster, name)),
        },
    };
}
