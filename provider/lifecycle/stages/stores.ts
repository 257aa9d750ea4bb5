import type { Engine } from "../../../topology/members";
import { podOrdinal } from "../../../topology/podNames";
import { type Fact, notAsked } from "../vocabulary/evidence";
import { onceFor } from "../vocabulary/onceFor";
import type { Observation, ObservedPod, ObservedStore } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";
import { leaves, type MemberTarget } from "../vocabulary/target";

/** Queries over the stores that PD lists, for members that are stores. Such a member has the name of its engine. */

/** The stores of each engine in a list. Every pod of a walk is compared with all of them. */
const byEngine = onceFor((stores: readonly ObservedStore[]): Record<Engine, readonly ObservedStore[]> => {
    const of = (engine: Engine) => stores.filter((store) => store.engine === engine);
    return { tikv: of("tikv"), tiflash: of("tiflash") };
});

/** @returns the stores of an engine that PD lists, including those of other clusters that share it; `undefined` if not known. */
export function storesOf(observation: Observation, engine: Engine): readonly ObservedStore[] | undefined {
    const { stores } = observation.pd;
    return stores.known ? byEngine(stores.value)[engine] : undefined;
}

/** @returns in words that PD lists several stores under the address of a pod. */
export function atOneAddress(stores: readonly ObservedStore[], podName: string): string {
    return `PD lists stores ${stores.map(({ id }) => id).join(" and ")} under the address of ${podName}`;
}

/** A pod with its store. */
export type WithStore = PodView & { readonly store: ObservedStore };

export function hasStore(view: PodView): view is WithStore {
    return view.store !== undefined;
}

export function isUp(store: ObservedStore | undefined): boolean {
    return store?.state === "Up";
}

/** @returns the state of a store that PD lists, for a sentence with "is". */
export function stateInWords({ state }: Pick<ObservedStore, "state">): string {
    return state === "New" ? "new, and has not sent its first heartbeat" : state;
}

/** @returns whether the pod's process certainly does not run: its node is Ready and says so, or there is no pod. */
export function isStopped({ pod }: PodView): boolean {
    return pod === undefined || (pod.container.known && pod.container.value.is !== "running");
}

/** @returns whether the pod's process has certainly never run: its node says so. */
export function neverRan({ pod }: Pick<PodView, "pod">): boolean {
    return pod?.container.known === true && pod.container.value.is === "not-started";
}

/** @returns whether the pod is Ready and not about to stop. */
export function isServing(pod: ObservedPod | undefined): boolean {
    return pod?.ready === true && !pod.terminating;
}

/** @returns whether this is the only store: no other store could take its leaders, and no region has another replica. */
export function isOnlyStore(view: PodView): boolean {
    const stores = storesOf(view.observation, "tikv");
    return stores?.length === 1 && stores[0] === view.store;
}

/** @returns whether the store is Up or was a moment ago. For up to 10 s after an election PD reports every store as Disconnected. */
export function wasUpRecently({ state }: ObservedStore): boolean {
    return state === "Up" || state === "Disconnected";
}

/** @returns the counted stores of the engine that would be left; `undefined` if not known. */
export function stayingStores(
    observation: Observation,
    target: MemberTarget,
    engine: Engine,
    counts: (store: ObservedStore) => boolean,
): ObservedStore[] | undefined {
    const leaving = new Set(leavingStores(observation, target));
    return storesOf(observation, engine)?.filter((store) => counts(store) && !leaving.has(store));
}

/** @returns the stores that leave PD: those of the ordinals that the StatefulSet will drop, or that get new volumes, and no others. */
export function leavingStores(observation: Observation, target: MemberTarget): ObservedStore[] {
    const { stores } = observation.pd;
    return (stores.known ? stores.value : []).filter((store) => {
        const ordinal = podOrdinal(store.podName, observation.cluster, target.component);
        return store.own && ordinal !== undefined && leaves(target, ordinal);
    });
}

/** @returns what the store of a Ready pod still lacks; `undefined` if nothing, or if PD was not queried. */
export function storeLacks({ observation, pd, store, stores, podName }: PodView): string | undefined {
    if (!pd.stores.known) {
        return observation.pdTrouble ? `wait for the store of ${podName}: ${pd.stores.why}` : undefined;
    }
    if (stores.length > 1) {
        return `wait for the store of ${podName}: PD lists ${stores.length} under its address`;
    }
    if (store === undefined) {
        return `wait for the store of ${podName}: it ${noStoreInWords(pd.tombstones, podName)}`;
    }
    return isUp(store) ? undefined : `wait for the store of ${podName}: it is ${stateInWords(store)}`;
}

/** @returns what is known of a pod for which PD lists no store: that it never had one, that PD has removed it, or neither. */
export function noStoreInWords(tombstones: Fact<readonly ObservedStore[]>, podName: string): string {
    if (tombstones === notAsked) {
        return "has no store that PD lists";
    }
    if (!tombstones.known) {
        return `has no store that PD lists; whether PD has removed one is not known: ${tombstones.why}`;
    }
    const removed = tombstones.value.filter((store) => store.own && store.podName === podName).map(({ id }) => id);
    const since = `since PD removed store ${removed.join(" and ")} (Tombstone)`;
    return `has not registered a store${removed.length === 0 ? "" : ` ${since}`}`;
}
