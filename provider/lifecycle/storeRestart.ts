import type { ObservedPod, ObservedStore } from "./observation";
import type { PodView, Stage } from "./stage";
import { isDownAnyway, isUp } from "./stores";

/** Stages of a restart that stores of every engine have. */

const patience = (view: PodView) => ({ seconds: view.target.policy.podReadyTimeoutSeconds, then: "fail" }) as const;

/**
 * The other stores are Up, as PD and their pods say.
 * @param concerns which of the others count.
 * @param matters whether it is worth waiting for: a store that is alone, or down anyway, takes nothing more down.
 */
export function otherStoresUp(
    concerns: (store: ObservedStore) => boolean,
    matters: (view: PodView) => boolean = () => true,
): Stage {
    return {
        name: "other-stores-up",
        holds: (view) => {
            if (!view.pd.stores) {
                return { lacks: view.observation.pdTrouble ?? "PD did not list its stores" };
            }
            const lacking = view.pd.stores
                .filter((store) => store.id !== view.store?.id && concerns(store))
                .flatMap((store) => notUp(view, store) ?? []);
            return lacking.length === 0 || !matters(view) || isDownAnyway(view) ? true : { lacks: lacking.join(", ") };
        },
        patience,
        advice: "bring that store back, or scale it away, then run `pulumi up` again",
    };
}

/** PD calls a store Up for 20 s after its last word, so that its pod is looked at too. */
function notUp(view: PodView, store: ObservedStore): string | undefined {
    const name = `store ${store.id} (${store.podName})`;
    if (!isUp(store)) {
        return `${name} is ${store.state}`;
    }
    if (!store.own || store.engine !== view.target.component) {
        return undefined;
    }
    const pod = view.member.pods.find((one) => one.name === store.podName);
    return pod?.ready && !pod.terminating ? undefined : `the pod of ${name} is ${pod ? podState(pod) : "gone"}`;
}

function podState(pod: ObservedPod): string {
    return pod.terminating ? "stopping" : "not Ready";
}

/** PD calls the store Up, and has heard from it since its pod was made. */
export const storeUp: Stage = {
    name: "store-up",
    holds: (view) => {
        const { store, pod } = view;
        if (!store) {
            return { lacks: `${view.podName} has not registered a store with PD` };
        }
        if (!isUp(store)) {
            return { lacks: `store ${store.id} (${view.podName}) is ${store.state}` };
        }
        return !pod || store.lastHeartbeat === undefined || store.lastHeartbeat >= pod.createdAt
            ? true
            : { lacks: `store ${store.id} (${view.podName}) has sent no heartbeat since it restarted` };
    },
    patience,
    advice: "look at the log of that pod",
};
