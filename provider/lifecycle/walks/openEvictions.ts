import type { Action } from "../vocabulary/move";
import { isOfRunningProcess } from "../stages/storeProcess";
import type { EvictionRecord, Observation } from "../vocabulary/observation";

type EndEviction = Extract<Action, { do: "end-eviction" }>;

/** Our evictions that last, told apart by whether ending them now would bring leaders to a store that goes down or is down. */
export interface OpenEvictions {
    /** What ends those of stores that are well, and of stores that PD has buried. */
    toEnd: EndEviction[];
    /** Those whose store is not well, or not known: leaders stay away until it is, and `why` says what is seen. */
    toKeep: { pod: string; storeId: number; why: string }[];
}

/**
 * @returns our open evictions as the observation shows them. All are kept where PD did not list its stores, or has not
 * loaded its schedulers: an end that it acknowledges then does not last.
 */
export function openEvictions(observation: Observation): OpenEvictions {
    const { pd, records } = observation;
    const under = pd.leadership.known ? pd.leadership.value.term : undefined;
    const found: OpenEvictions = { toEnd: [], toKeep: [] };
    for (const [id, record] of Object.entries(records.evictions).filter(([, one]) => one.endedAt === undefined)) {
        const [storeId, { pod }] = [Number(id), record];
        const why = pd.evictedStores.known ? notWell(observation, storeId, record) : pd.evictedStores.why;
        if (why === undefined) {
            found.toEnd.push({ do: "end-eviction", storeId, pod, under });
        } else {
            found.toKeep.push({ pod, storeId, why });
        }
    }
    return found;
}

/** Why leaders are not let back to the store yet; `undefined` where they are. */
function notWell({ pd, members }: Observation, storeId: number, record: EvictionRecord): string | undefined {
    if (!pd.stores.known) {
        return pd.stores.why;
    }
    const store = pd.stores.value.find((one) => one.id === storeId);
    if (!store) {
        const isRemovedFromPd = pd.tombstones.known && pd.tombstones.value.some((one) => one.id === storeId);
        return isRemovedFromPd ? undefined : `PD does not list store ${storeId}`;
    }
    if (store.state !== "Up") {
        return `store ${storeId} is ${store.state}`;
    }
    const pod = members.tikv?.pods.find((one) => one.name === record.pod);
    if (!pod?.ready || pod.terminating) {
        return `${record.pod} is not Ready`;
    }
    return isOfRunningProcess(store, pod) ? undefined : `store ${storeId} has not registered since its process started`;
}

/** @returns whether a run may be ended now: not between the restart of a store and the end of its eviction. */
export function isSafePoint(observation: Observation): boolean {
    return !observation.pd.stores.known || openEvictions(observation).toKeep.length === 0;
}
