import type { Action } from "./move";
import type { EvictionRecord, Observation } from "./observation";

type EndEviction = Extract<Action, { do: "end-eviction" }>;

/** Our evictions that last, told apart by whether ending them now would bring leaders to a store that goes down or is down. */
export interface OpenEvictions {
    /** What ends those of stores that are well, and of stores that PD lists no more. */
    toEnd: EndEviction[];
    /** Pods whose store is not well: their leaders stay away until it is. */
    toKeep: string[];
}

/** @returns our open evictions as the observation shows them; all are kept where PD did not list its stores. */
export function openEvictions(observation: Observation): OpenEvictions {
    const open = Object.entries(observation.records.evictions).filter(([, record]) => record.endedAt === undefined);
    const isWell = ([storeId, record]: [string, EvictionRecord]) => storeIsWell(observation, Number(storeId), record);
    return {
        toEnd: open.filter(isWell).map(([storeId, { pod }]) => ({ do: "end-eviction", storeId: Number(storeId), pod })),
        toKeep: open.filter((one) => !isWell(one)).map(([, { pod }]) => pod),
    };
}

function storeIsWell(observation: Observation, storeId: number, record: EvictionRecord): boolean {
    const stores = observation.pd?.stores;
    const store = stores?.find((one) => one.id === storeId);
    if (!stores || !store) {
        return stores !== undefined;
    }
    const pod = observation.members.tikv?.pods.find((one) => one.name === record.pod);
    return (
        store.state === "Up" &&
        pod?.ready === true &&
        !pod.terminating &&
        (store.lastHeartbeat ?? Infinity) >= pod.createdAt
    );
}

/** @returns whether a run may be ended now: not between the restart of a store and the end of its eviction. */
export function isSafePoint(observation: Observation): boolean {
    return observation.pd?.stores === undefined || openEvictions(observation).toKeep.length === 0;
}
