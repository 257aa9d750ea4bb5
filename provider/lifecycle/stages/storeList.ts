import type { ObservedPod } from "../vocabulary/observation";
import { lacksFact, type Stage } from "../vocabulary/stage";

/**
 * PD lists one store for each pod of this member whose process may run, and no two under one address. A list that lacks
 * one, because PD has not loaded it, was asked at the wrong place, or knows the pod by another name, says nothing of the
 * others either.
 */
export const storesListed: Stage = {
    name: "stores-listed",
    holds: (view) => {
        const { stores } = view.pd;
        if (!stores.known) {
            return lacksFact(stores, "PD's stores are");
        }
        const own = stores.value.filter((store) => store.own && store.engine === view.target.component);
        // Those that leave are judged by themselves: PD lists theirs no more once it has buried them.
        const staying = view.member.pods.filter((pod) => pod.ordinal < view.target.replicas);
        const lacking = staying.filter(mayRun).flatMap((pod) => {
            const of = own.filter((store) => store.podName === pod.name);
            if (of.length === 1) {
                return [];
            }
            return of.length === 0
                ? [`PD lists no store for ${pod.name}, which is Ready`]
                : [`PD lists stores ${of.map(({ id }) => id).join(" and ")} under the address of ${pod.name}`];
        });
        if (view.stores.length > 1 && !(view.pod && mayRun(view.pod))) {
            lacking.push(`PD lists ${view.stores.length} stores under the address of ${view.podName}`);
        }
        return lacking.length === 0 ? true : { lacks: lacking.join(", ") };
    },
    advice: "compare `pd-ctl store` with the pods: names, namespace and `clusterDomain` must be those that the stores registered; where a dead store has the address of a living one, take it out with `pd-ctl store delete <id>`. A process that cannot register holds nothing: delete its pod by hand",
};

function mayRun(pod: ObservedPod): boolean {
    return pod.ready && !pod.terminating;
}
