import type { ObservedPod, ObservedStore } from "../vocabulary/observation";
import { heartbeatsOf, timeoutWithPd } from "./soundness";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { isOfRunningProcess } from "./storeProcess";
import { isOnlyStore, isStopped, isUp } from "./stores";

/** Stages of a restart that stores of every engine have. */

/** A store that is this much later than its interval, compared with the others, is silent. */
const lateMilliseconds = 2_000;

/**
 * The other stores of an engine are Up, as PD, their heartbeats and their pods say: those of other clusters on this PD too.
 * A pod whose process does not run takes nothing more down.
 */
export function otherStoresUp(engine: ObservedStore["engine"]): Stage {
    return {
        name: "other-stores-up",
        holds: (view) => {
            const { stores } = view.pd;
            if (!stores.known) {
                return lacksFact(stores, "PD's stores are");
            }
            if (isOnlyStore(view) || isStopped(view)) {
                return true;
            }
            const all = stores.value.filter((store) => store.engine === engine);
            const lacking = all
                .filter((store) => store.id !== view.store?.id)
                .flatMap((store) => notUp(view, store) ?? silentSince(view, store, all) ?? []);
            return lacking.length === 0 ? true : { lacks: lacking.join(", ") };
        },
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

/**
 * A store whose last heartbeat lags behind the newest one of all by more than its interval does not report, whatever PD
 * calls it. Heartbeats are by PD's clock alone, so that they are compared with each other.
 */
function silentSince(view: PodView, store: ObservedStore, all: readonly ObservedStore[]): string | undefined {
    const name = `store ${store.id} (${store.podName})`;
    if (store.lastHeartbeat === undefined) {
        return `${name} has never reported`;
    }
    const newest = Math.max(...all.map((one) => one.lastHeartbeat ?? 0));
    const { store: interval } = heartbeatsOf(view.observation);
    const lag = newest - store.lastHeartbeat;
    return lag > Math.max(interval * 1.5, interval + lateMilliseconds)
        ? `${name} has been silent for ${Math.round(lag / 1000)} s longer than another one`
        : undefined;
}

/** Nobody else keeps leaders away from another store: whoever does is about to take it down. */
export const noForeignEviction: Stage = {
    name: "no-foreign-eviction",
    holds: (view) => {
        const { evictedStores, stores } = view.pd;
        if (isOnlyStore(view) || isStopped(view)) {
            return true;
        }
        if (!evictedStores.known) {
            return lacksFact(evictedStores, "stores under eviction are");
        }
        const foreign = evictedStores.value.filter(
            (id) => id !== view.store?.id && view.observation.records.evictions[id] === undefined,
        );
        const named = foreign.map((id) => {
            const store = stores.known ? stores.value.find((one) => one.id === id) : undefined;
            return store ? `store ${id} (${store.podName})` : `store ${id}`;
        });
        return foreign.length === 0 ? true : { lacks: `somebody else keeps leaders away from ${named.join(", ")}` };
    },
    timeout: timeoutWithPd,
    advice: "find out who restarts that store, and wait for it; an eviction that nobody needs is ended with `pd-ctl scheduler remove evict-leader-scheduler-<store id>`",
};

/** PD calls the store Up, and the process that reports is the one that runs in the pod now. */
export const storeUp: Stage = {
    name: "store-up",
    holds: (view) => {
        const { store, stores, pod, pd, podName } = view;
        if (!pd.stores.known) {
            return lacksFact(pd.stores, "PD's stores are");
        }
        if (stores.length > 1) {
            return {
                lacks: `PD lists stores ${stores.map(({ id }) => id).join(" and ")} under the address of ${podName}`,
            };
        }
        if (!store) {
            return { lacks: `${podName} has not registered a store with PD` };
        }
        if (!isUp(store)) {
            return { lacks: `store ${store.id} (${podName}) is ${store.state}` };
        }
        return pod && !isOfRunningProcess(store, pod)
            ? { lacks: `store ${store.id} (${podName}) has not registered since its process started` }
            : true;
    },
    advice: "look at the log of that pod",
};
