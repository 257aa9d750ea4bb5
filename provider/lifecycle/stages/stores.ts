import type { Engine } from "../../../topology/members";
import { podOrdinal } from "../../../topology/podNames";
import type { Observation, ObservedStore } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/** What the rules of members that are stores ask of those that PD lists. Such a member has the name of its engine. */

/** @returns the stores of an engine that PD lists, those of other clusters that share it too; `undefined` where that is not known. */
export function storesOf(observation: Observation, engine: Engine): ObservedStore[] | undefined {
    const { stores } = observation.pd;
    return stores.known ? stores.value.filter((store) => store.engine === engine) : undefined;
}

export function isUp(store: ObservedStore | undefined): boolean {
    return store?.state === "Up";
}

/** @returns whether the process of the pod certainly does not run: its node, which is Ready, says so, or it never had one. */
export function isStopped({ pod }: PodView): boolean {
    return pod === undefined || (pod.container.known && pod.container.value.is !== "running");
}

/** @returns whether the store is the only one there is: nobody could take its leaders, and no region has another copy. */
export function isOnlyStore(view: PodView): boolean {
    const stores = storesOf(view.observation, "tikv");
    return stores?.length === 1 && stores[0] === view.store;
}

/** @returns whether the store is up, or was a moment ago: for up to 10 s after an election PD calls every store Disconnected. */
export function wasUpRecently({ state }: ObservedStore): boolean {
    return state === "Up" || state === "Disconnected";
}

/** @returns the stores of the engine that would be left, of those that count; `undefined` where that is not known. */
export function stayingStores(
    observation: Observation,
    target: MemberTarget,
    engine: Engine,
    counts: (store: ObservedStore) => boolean,
): ObservedStore[] | undefined {
    const leaving = leavingStores(observation, target);
    return storesOf(observation, engine)?.filter((store) => counts(store) && !leaving.includes(store));
}

/** The stores that the StatefulSet will drop: those of the ordinals that it will drop, and no others. */
export function leavingStores(observation: Observation, target: MemberTarget): ObservedStore[] {
    const { stores } = observation.pd;
    return (stores.known ? stores.value : []).filter((store) => {
        const ordinal = podOrdinal(store.podName, observation.cluster, target.component);
        return store.own && ordinal !== undefined && ordinal >= target.replicas;
    });
}

/** @returns what the store of a pod that is Ready still lacks, in words; nothing where PD was not asked. */
export function storeLacks({ observation, pd, store, stores, podName }: PodView): string | undefined {
    if (!pd.stores.known) {
        return observation.pdTrouble ? `wait for the store of ${podName}: ${pd.stores.why}` : undefined;
    }
    if (stores.length > 1) {
        return `wait for the store of ${podName}: PD lists ${stores.length} under its address`;
    }
    return isUp(store) ? undefined : `wait for the store of ${podName}: it is ${store?.state ?? "not registered"}`;
}
