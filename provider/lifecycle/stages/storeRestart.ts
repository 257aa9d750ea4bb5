import type { ObservedPod, ObservedStore } from "../vocabulary/observation";
import type { OwnEviction } from "../vocabulary/observedPd";
import { batchMates, downMates } from "./batches/batchMates";
import { heartbeatsOf, timeoutWithPd } from "./trustedCounts";
import { endedByStore, type Finding, lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { hasJustStarted, itselfHasJustStarted } from "./sharedStages";
import { isOfRunningProcess } from "./storeProcess";
import { atOneAddress, isOnlyStore, isStopped, isUp, noStoreInWords, stateInWords, storesOf } from "./stores";
import { onceFor } from "../vocabulary/onceFor";
import { type PodIndex, podIndexOf } from "../vocabulary/podIndex";

/** Restart stages that stores of every engine share. */

/** How far a heartbeat may lag behind its interval, compared with the other stores, before the store counts as unreachable. */
const lateMilliseconds = 2_000;

/**
 * The other stores of the engine are Up according to PD, their heartbeats and their pods, including stores of other
 * clusters on this PD. Those of the same proven batch may be down, and beside
 * a store that is not Up those of its batch that are not, either. Restarting a pod whose process does not run takes nothing more down.
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
            const lacking = othersNotUp(view, engine).map(({ words }) => words);
            return lacking.length === 0 ? true : { lacks: lacking.join(", ") };
        },
        // PD calls a store Down only after half an hour.
        heals: (view) =>
            othersNotUp(view, engine).every(
                ({ store }) => store.own && store.state !== "Down" && hasJustStarted(view, store.podName),
            ),
        advice: "bring that store back: check its pod and its node. Then run `pulumi up` again",
    };
}

/** The other stores that are not Up, apart from those of the pod's batch, and what each is. */
function othersNotUp(
    view: PodView,
    engine: ObservedStore["engine"],
): { readonly store: ObservedStore; readonly words: string }[] {
    const all = storesOf(view.observation, engine) ?? [];
    const newest = newestHeartbeat(all);
    const mates = isUp(view.store) ? batchMates(view) : [...batchMates(view), ...downMates(view)];
    const { pods } = podIndexOf(view.observation, view.target.component);
    const lacking: { store: ObservedStore; words: string }[] = [];
    for (const store of all) {
        const words =
            store === view.store || mates.includes(store.id)
                ? undefined
                : (notUp(view, pods, store) ?? staleHeartbeat(view, store, newest));
        if (words !== undefined) {
            lacking.push({ store, words });
        }
    }
    return lacking;
}

const newestHeartbeat = onceFor((stores: readonly ObservedStore[]) =>
    stores.reduce((at, { lastHeartbeat = 0 }) => Math.max(at, lastHeartbeat), 0),
);

/** PD reports a store as Up for 20 s after its last heartbeat, so the pod is checked too. */
function notUp({ target }: PodView, pods: PodIndex["pods"], store: ObservedStore): string | undefined {
    if (!isUp(store)) {
        return `${nameOf(store)} is ${stateInWords(store)}`;
    }
    if (!store.own || store.engine !== target.component) {
        return undefined;
    }
    const pod = pods.get(store.podName);
    return pod?.ready && !pod.terminating
        ? undefined
        : `the pod of ${nameOf(store)} is ${pod ? podState(pod) : "gone"}`;
}

const nameOf = ({ id, podName }: ObservedStore) => `store ${id} (${podName})`;

function podState(pod: ObservedPod): string {
    return pod.terminating ? "stopping" : "not Ready";
}

/**
 * A store whose last heartbeat is older than the newest one of all stores by more than its interval is not reporting,
 * whatever state PD shows. All heartbeat times use PD's clock, so they are compared only with each other.
 */
function staleHeartbeat(view: PodView, store: ObservedStore, newest: number): string | undefined {
    if (store.lastHeartbeat === undefined) {
        return `${nameOf(store)} has never sent a heartbeat`;
    }
    const { store: interval } = heartbeatsOf(view.observation);
    const lag = newest - store.lastHeartbeat;
    return lag > Math.max(interval * 1.5, interval + lateMilliseconds)
        ? `the last heartbeat of ${nameOf(store)} is ${Math.round(lag / 1000)} s older than that of another store`
        : undefined;
}

/** No other store is under someone else's eviction, because they are probably about to restart it. */
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
        return foreign.length === 0 ? true : { lacks: `someone else is evicting leaders from ${named.join(", ")}` };
    },
    timeout: timeoutWithPd,
    advice: "find out who is restarting that store and wait for them to finish; if nobody needs the eviction, end it with `pd-ctl scheduler remove evict-leader-scheduler-<store id>`",
};

/** @returns that it is not known which stores PD evicts by itself; undefined if it is. What one scheduler does not report is not none. */
export function lacksOwnEvictions({ pd: { ownEvictions } }: Pick<PodView, "pd">): Finding | undefined {
    if (!ownEvictions.known) {
        return lacksFact(ownEvictions, "stores that PD evicts by itself are");
    }
    const [scheduler] = ownEvictions.value.unreported;
    return scheduler === undefined
        ? undefined
        : {
              lacks: `PD does not report which stores its ${scheduler} evicts: this PD lists them only in its etcd, which needs enable-grpc-gateway`,
          };
}

/** @returns the evictions by PD itself of other stores than this one and those that we restart. */
function evictionsByPd({ pd: { ownEvictions }, store, observation }: PodView): readonly OwnEviction[] {
    const all = ownEvictions.known ? ownEvictions.value.evictions : [];
    return all.filter(({ storeId }) => storeId !== store?.id && observation.records.evictions[storeId] === undefined);
}

/**
 * PD itself evicts no other store, which it calls slow or stopping: that store's leaders have moved to the others. One with an eviction of
 * ours is being restarted by us.
 */
export const noEvictionByPd: Stage = {
    name: "no-eviction-by-pd",
    holds: (view) => {
        const { stores } = view.pd;
        if (isOnlyStore(view) || isStopped(view)) {
            return true;
        }
        const lacks = lacksOwnEvictions(view);
        if (lacks !== undefined) {
            return lacks;
        }
        const others = evictionsByPd(view);
        const named = others.map(({ storeId, scheduler }) => {
            const store = stores.known ? stores.value.find(({ id }) => id === storeId) : undefined;
            return `store ${storeId}${store ? ` (${store.podName})` : ""} by its ${scheduler}`;
        });
        return others.length === 0 ? true : { lacks: `PD itself is evicting leaders from ${named.join(", ")}` };
    },
    // PD gives leaders back only after a time of its own.
    timeout: (view) => {
        const { seconds, then } = timeoutWithPd(view);
        const recoveries = evictionsByPd(view).map(({ recoverySeconds = 0 }) => recoverySeconds + seconds);
        return { seconds: Math.max(seconds, ...recoveries), then };
    },
    advice: "find out why PD calls that store slow (its disk, its network), and run `pulumi up` again once `pd-ctl scheduler config <scheduler>` no longer lists it",
};

/** PD reports the store as Up, and its heartbeats come from the process that runs in the pod now. */
export const storeUp: Stage = {
    name: "store-up",
    holds: (view) => {
        const { store, stores, pod, pd, podName } = view;
        if (!pd.stores.known) {
            return lacksFact(pd.stores, "PD's stores are");
        }
        if (stores.length > 1) {
            return { lacks: atOneAddress(stores, podName) };
        }
        if (!store) {
            return { lacks: `${podName} ${noStoreInWords(pd.tombstones, podName)}` };
        }
        if (!isUp(store)) {
            return { lacks: `store ${store.id} (${podName}) is ${stateInWords(store)}` };
        }
        return pod && !isOfRunningProcess(store, pod)
            ? { lacks: `store ${store.id} (${podName}) has not registered since its process started` }
            : true;
    },
    endedBy: endedByStore,
    heals: itselfHasJustStarted,
    advice: "check the pod's log",
};
