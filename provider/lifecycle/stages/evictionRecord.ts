import type { EvictionRecord, Observation } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";

/** What is on record of our own evictions, compared with what PD lists. */

/** Our eviction of the pod's store, also while we make sure that it is over. */
export function evictionOf(view: PodView): EvictionRecord | undefined {
    return view.store && view.observation.records.evictions[view.store.id];
}

/** Our eviction of the store, while it lasts. */
export function openEvictionOf(view: PodView): EvictionRecord | undefined {
    const record = evictionOf(view);
    return record?.endedAt === undefined ? record : undefined;
}

/** @returns whether PD keeps leaders away from the store, whoever asked it to. A list that is not known is no such word. */
export function isEvicted({ store, pd }: Pick<PodView, "store" | "pd">): boolean {
    return store !== undefined && pd.evictedStores.known && pd.evictedStores.value.includes(store.id);
}

/** What has become of an eviction that we ended. */
export type EndedEviction =
    /** PD neither lists it nor keeps it for its next leader. */
    | "gone"
    /** PD lists it again under another leader, or keeps it for the next one: it is ended again. */
    | "back"
    /** PD does not list it, and cannot be asked what it keeps; it is looked at again under the next leader. */
    | "unverified"
    /** PD cannot be asked. */
    | "not known";

/**
 * PD can bring an eviction back that it acknowledged as ended: with a leader that had not loaded its schedulers, the
 * end reaches memory alone. So an end counts once PD's etcd has let go of it, or, where that cannot be read, once a later
 * leader that has loaded its schedulers does not list it.
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
        // Under the leader that ended it, it is another one, which somebody else has begun since.
        return sameLeader ? "gone" : "back";
    }
    if (persistedEvictions.known) {
        return persistedEvictions.value.includes(storeId) ? "back" : "gone";
    }
    return sameLeader ? "unverified" : "gone";
}
