import type { EvictionRecord, Observation } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";

/** The records of our own evictions, compared with the evictions that PD lists. */

/** Our eviction of the pod's store, including one whose end is still being verified. */
export function evictionOf(view: PodView): EvictionRecord | undefined {
    return view.store && view.observation.records.evictions[view.store.id];
}

/** Our eviction of the store, while it lasts. */
export function openEvictionOf(view: PodView): EvictionRecord | undefined {
    const record = evictionOf(view);
    return record?.endedAt === undefined ? record : undefined;
}

/** @returns whether PD lists the store as under eviction, whoever requested it; false if the list is not known. */
export function isEvicted({ store, pd }: Pick<PodView, "store" | "pd">): boolean {
    return store !== undefined && pd.evictedStores.known && pd.evictedStores.value.includes(store.id);
}

/** @returns PD's scheduler that evicts the store's leaders without being asked to; undefined if none does, or PD does not report it. */
export function evictedByPd({ pd: { ownEvictions } }: Pick<Observation, "pd">, storeId: number): string | undefined {
    return ownEvictions.known
        ? ownEvictions.value.evictions.find((one) => one.storeId === storeId)?.scheduler
        : undefined;
}

/** The state of an eviction that we ended. */
export type EndedEviction =
    /** PD neither lists it nor keeps it for its next leader. */
    | "gone"
    /** PD lists it again under another leader, or keeps it for the next one. It must be ended again. */
    | "back"
    /** PD does not list it, but what PD keeps in etcd cannot be read. It is checked again under the next leader. */
    | "unverified"
    /** PD is unreachable. */
    | "not known";

/**
 * PD can bring back an eviction whose end it acknowledged: if its leader had not loaded the schedulers, the end reached
 * memory only. So an end counts only once it has left PD's etcd or, if etcd cannot be read, once a later leader that has
 * loaded its schedulers does not list it.
 */
export function endedEviction({ pd }: Observation, storeId: number, record: EvictionRecord): EndedEviction {
    const { evictedStores, persistedEvictions, leadership } = pd;
    if (record.isGone) {
        return "gone";
    }
    if (!evictedStores.known || !leadership.known) {
        return "not known";
    }
    const isListed = evictedStores.value.includes(storeId);
    const sameLeader = record.endedUnder === leadership.value.term;
    if (isListed) {
        // Under the leader that ended it, this must be a new eviction that someone else has begun.
        return sameLeader ? "gone" : "back";
    }
    if (persistedEvictions.known) {
        return persistedEvictions.value.includes(storeId) ? "back" : "gone";
    }
    return sameLeader ? "unverified" : "gone";
}
