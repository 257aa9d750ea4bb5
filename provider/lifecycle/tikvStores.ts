import type { Observation, ObservedStore } from "./observation";
import type { PodView } from "./stage";
import type { MemberTarget } from "./target";

/** What TiKV's rules ask of the stores that PD lists. */

/** @returns the TiKV stores that PD lists, those of other clusters that share it too. */
export function tikvStores(observation: Observation): ObservedStore[] {
    return (observation.pd?.stores ?? []).filter((store) => store.engine === "tikv");
}

export function isUp(store: ObservedStore | undefined): boolean {
    return store?.state === "Up";
}

/** With one store there is nobody to take its leaders; with none there are no leaders. */
export function canEvict(view: PodView): boolean {
    return tikvStores(view.observation).length >= 2;
}

/** A pod that does not run and whose store is not Up loses nothing by a restart; it may be what brings it back. */
export function isDownAnyway(view: PodView): boolean {
    return view.pod?.ready !== true && !isUp(view.store);
}

/** @returns why the stores that would be left are too few for PD's replicas; `undefined` when they are enough. */
export function tooFewStores(observation: Observation, target: MemberTarget): string | undefined {
    const maxReplicas = observation.pd?.maxReplicas;
    if (maxReplicas === undefined) {
        return "PD did not say its replication.max-replicas";
    }
    const leaving = leavingStores(observation, target);
    const staying = tikvStores(observation).filter((store) => isUp(store) && !leaving.includes(store)).length;
    return staying >= maxReplicas
        ? undefined
        : `${staying} Up TiKV stores would be left, PD keeps ${maxReplicas} replicas of each region (replication.max-replicas)`;
}

/** The stores that the StatefulSet will drop: those of the ordinals that it will drop, and no others. */
export function leavingStores(observation: Observation, target: MemberTarget): ObservedStore[] {
    const start = `${observation.cluster}-tikv-`;
    return tikvStores(observation).filter(
        (store) =>
            store.own &&
            store.podName.startsWith(start) &&
            Number(store.podName.slice(start.length)) >= target.replicas,
    );
}
