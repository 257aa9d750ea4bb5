import type { Action } from "../vocabulary/actions";
import { isOfRunningProcess } from "../stages/storeProcess";
import { isServing } from "../stages/stores";
import type { EvictionRecord, Observation } from "../vocabulary/observation";

type EndEviction = Extract<Action, { do: "end-eviction" }>;

/** Our open evictions, split by whether ending them now would bring leaders to a store that is down or going down. */
export interface OpenEvictions {
    /** The actions that end the evictions of healthy and of Tombstone stores. */
    toEnd: EndEviction[];
    /** Evictions to keep while the store is not healthy or not known. `why` gives the reason. */
    toKeep: { pod: string; storeId: number; why: string }[];
}

/**
 * @returns our open evictions in the observation. All are kept if PD did not list its stores or has not loaded its
 * schedulers, because an end acknowledged then does not last.
 */
export function openEvictions(observation: Observation): OpenEvictions {
    const { pd, records } = observation;
    const under = pd.leadership.known ? pd.leadership.value.term : undefined;
    const found: OpenEvictions = { toEnd: [], toKeep: [] };
    for (const [id, record] of Object.entries(records.evictions).filter(([, one]) => one.endedAt === undefined)) {
        const [storeId, { pod }] = [Number(id), record];
        const why = pd.evictedStores.known ? unhealthyReason(observation, storeId, record) : pd.evictedStores.why;
        if (why === undefined) {
            found.toEnd.push({ do: "end-eviction", storeId, pod, under });
        } else {
            found.toKeep.push({ pod, storeId, why });
        }
    }
    return found;
}

/** Why the store must not get leaders back yet; `undefined` if it may. */
function unhealthyReason({ pd, members }: Observation, storeId: number, record: EvictionRecord): string | undefined {
    if (!pd.stores.known) {
        return pd.stores.why;
    }
    const store = pd.stores.value.find((one) => one.id === storeId);
    if (!store) {
        const isTombstone = pd.tombstones.known && pd.tombstones.value.some((one) => one.id === storeId);
        return isTombstone ? undefined : `PD does not list store ${storeId}`;
    }
    if (store.state !== "Up") {
        return `store ${storeId} is ${store.state}`;
    }
    const pod = members.tikv?.pods.find((one) => one.name === record.pod);
    if (pod === undefined || !isServing(pod)) {
        return `${record.pod} is not Ready`;
    }
    return isOfRunningProcess(store, pod) ? undefined : `store ${storeId} has not registered since its process started`;
}
