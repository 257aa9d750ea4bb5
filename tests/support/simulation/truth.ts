import type { Component } from "../../../topology/members";
import { podHost, storePorts } from "../../../sandbox/dataPlane/facts/addresses";
import { isQuorum } from "../../../sandbox/dataPlane/facts/quorum";
import { startMilliseconds, type Kubernetes, type Member, type Pod, type Store, type World } from "./world";

/** The truth of the model. */

export function podNameOf(cluster: { name: string }, component: Component, ordinal: number): string {
    return `${cluster.name}-${component}-${ordinal}`;
}

/** @returns the Kubernetes that the store's pod is in */
export function clusterOf(world: World, store: Pick<Store, "of">): Kubernetes {
    return world.clusters[store.of];
}

/** What is asked for at every step of the model's time, of every peer of every region. */
const podsByClaim = new WeakMap<readonly Pod[], ReadonlyMap<string, Pod>>();
const storesById = new WeakMap<readonly Store[], ReadonlyMap<number, Store>>();

/** @returns the index of a list to which elements are only added: one that loses some is another list. */
function indexOf<K, T>(
    indexes: WeakMap<readonly T[], ReadonlyMap<K, T>>,
    list: readonly T[],
    keyOf: (one: T) => K,
): ReadonlyMap<K, T> {
    let index = indexes.get(list);
    if (index?.size !== list.length) {
        index = new Map(list.map((one) => [keyOf(one), one]));
        indexes.set(list, index);
    }
    return index;
}

export function podWithClaim({ pods }: Kubernetes, claim: string): Pod | undefined {
    return indexOf(podsByClaim, pods, (pod) => pod.claim).get(claim);
}

/** @returns whether the pod's own process runs */
export function runs(pod: Pod | undefined): boolean {
    return pod?.runsSince !== undefined;
}

export function storeRuns(world: World, store: Store): boolean {
    return runs(podWithClaim(clusterOf(world, store), store.claim));
}

export function memberRuns(world: World, member: Pick<Member, "claim">): boolean {
    return runs(podWithClaim(world.clusters.ours, member.claim));
}

/** @returns whether PD has a quorum, whether or not it can be reached */
export function hasQuorum(world: World): boolean {
    const { members } = world.pd;
    return isQuorum(members.filter((member) => memberRuns(world, member)).length, members.length);
}

export function liveStores(world: World, engine?: Store["engine"]): Store[] {
    return world.stores.filter(
        (store) => store.phase !== "Tombstone" && (engine === undefined || store.engine === engine),
    );
}

export function storeById(world: World, id: number): Store | undefined {
    return indexOf(storesById, world.stores, (store) => store.id).get(id);
}

/** @returns the number of the store's zone: the ordinals take turns */
export function zoneOf({ zones }: World, { podName }: Pick<Store, "podName">): number {
    return Number(podName.slice(podName.lastIndexOf("-") + 1)) % Math.max(1, zones);
}

export function addressOf(world: World, store: Store): string {
    const { namespace, domain } = clusterOf(world, store);
    const start = store.podName.slice(0, store.podName.lastIndexOf("-"));
    return `${podHost(store.podName, `${start}-peer`, namespace, domain)}:${storePorts[store.engine]}`;
}

export function noteViolation(world: World, violation: string): void {
    world.violations.push(violation);
    world.log.push(`${at(world)} VIOLATION ${violation}`);
}

/** @returns the model's time in seconds, for its log */
export function at({ now }: World): string {
    return ((now - startMilliseconds) / 1000).toFixed(2);
}
