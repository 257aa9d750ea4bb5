import type { Observation, ObservedStore } from "./observation";
import type { PodView } from "./stage";
import type { MemberTarget } from "./target";

/** What the rules of members that are stores ask of those that PD lists. Such a member has the name of its engine. */

type Engine = ObservedStore["engine"];

/** @returns the stores of an engine that PD lists, those of other clusters that share it too. */
export function storesOf(observation: Observation, engine: Engine): ObservedStore[] {
    return (observation.pd?.stores ?? []).filter((store) => store.engine === engine);
}

export function isUp(store: ObservedStore | undefined): boolean {
    return store?.state === "Up";
}

/** With one store there is nobody to take its leaders; with none there are no leaders. */
export function canEvict(view: PodView): boolean {
    return storesOf(view.observation, "tikv").length >= 2;
}

/** A pod that does not run and whose store is not Up loses nothing by a restart; it may be what brings it back. */
export function isDownAnyway(view: PodView): boolean {
    return view.pod?.ready !== true && !isUp(view.store);
}

/** @returns how many Up stores of the engine would be left. */
export function stayingUpStores(observation: Observation, target: MemberTarget, engine: Engine): number {
    const leaving = leavingStores(observation, target);
    return storesOf(observation, engine).filter((store) => isUp(store) && !leaving.includes(store)).length;
}

/** The stores that the StatefulSet will drop: those of the ordinals that it will drop, and no others. */
export function leavingStores(observation: Observation, target: MemberTarget): ObservedStore[] {
    const start = `${observation.cluster}-${target.component}-`;
    return (observation.pd?.stores ?? []).filter(
        (store) =>
            store.own &&
            store.podName.startsWith(start) &&
            Number(store.podName.slice(start.length)) >= target.replicas,
    );
}

/** @returns what the store of a pod that is Ready still lacks, in words; nothing where PD was not asked. */
export function storeLacks({ pd, store, podName }: PodView): string | undefined {
    return pd.stores === undefined || isUp(store)
        ? undefined
        : `wait for the store of ${podName}: it is ${store?.state ?? "not registered"}`;
}
