import type { ObservedPod, ObservedStore } from "../vocabulary/observation";
import { atOneAddress } from "./stores";
import { leaves } from "../vocabulary/target";
import { podIndexOf } from "../vocabulary/podIndex";
import { lacksFact, type Stage } from "../vocabulary/stage";

/**
 * PD lists one store for each pod of this member whose process may run, and no two under one address. A list with a
 * missing store is no evidence about the other stores either: PD may not have loaded it, may be the wrong PD, or may know
 * the pod under another name.
 */
export const storesListed: Stage = {
    name: "stores-listed",
    holds: (view) => {
        const { stores } = view.pd;
        if (!stores.known) {
            return lacksFact(stores, "PD's stores are");
        }
        const { component } = view.target;
        const own = podIndexOf(view.observation, component).stores;
        // Leaving pods have their own stages: PD no longer lists their stores once they are Tombstone.
        const isOfMember = ({ engine }: ObservedStore) => engine === component;
        const isListed = (pod: ObservedPod) => {
            const of = own.get(pod.name);
            return of?.length === 1 && isOfMember(of[0]);
        };
        const lacking = view.member.pods
            .filter((pod) => !leaves(view.target, pod.ordinal) && mayRun(pod) && !isListed(pod))
            .flatMap((pod) => {
                const of = (own.get(pod.name) ?? []).filter(isOfMember);
                return of.length === 0
                    ? [`PD lists no store for ${pod.name}, which is Ready`]
                    : of.length > 1
                      ? [atOneAddress(of, pod.name)]
                      : [];
            });
        if (view.stores.length > 1 && !(view.pod && mayRun(view.pod))) {
            lacking.push(`PD lists ${view.stores.length} stores under the address of ${view.podName}`);
        }
        return lacking.length === 0 ? true : { lacks: lacking.join(", ") };
    },
    advice: "compare `pd-ctl store` with the pods: names, namespace and `clusterDomain` must match what the stores registered; if a dead store has the address of a live one, remove the dead one with `pd-ctl store delete <id>`. A process that cannot register holds no data: delete its pod by hand",
};

function mayRun(pod: ObservedPod): boolean {
    return pod.ready && !pod.terminating;
}
