import type { EvictionRecord, Observation } from "../vocabulary/observation";
import { notAsked } from "../vocabulary/evidence";
import { podOrdinal } from "../../../topology/podNames";
import { viewOf } from "../vocabulary/stage";
import type { Action } from "../vocabulary/actions";
import type { Look } from "../vocabulary/look";
import type { LeftBehind } from "../vocabulary/memberLifecycle";
import type { MemberTarget } from "../vocabulary/target";
import { endedEviction } from "./evictionRecord";

/** How an eviction of ours is ended, also if an earlier run left it behind. */

/** @returns the action that ends the eviction of a store. */
export function endOf({ pd }: Observation, storeId: number, pod: string): Action {
    return { do: "end-eviction", storeId, pod, under: pd.leadership.known ? pd.leadership.value.term : undefined };
}

/** What tells whether PD has dropped an eviction. */
export const lookAtEvictions: Look = { parts: ["persisted-evictions", "leadership", "evicted-stores"] };

/**
 * @returns how to end or forget one of our evictions whose store belongs to no pod of the target, because no pod's stages
 * would do it. A store that PD merely does not list is excluded: PD's list may be incomplete.
 */
export function endLeftBehindEviction(observation: Observation, target: MemberTarget): LeftBehind | undefined {
    const { stores } = observation.pd;
    const isWalked = (id: string) => {
        const store = stores.known ? stores.value.find((one) => one.id === Number(id)) : undefined;
        const ordinal = podOrdinal(store?.podName, observation.cluster, target.component) ?? Infinity;
        return ordinal < target.replicas && viewOf(observation, target, ordinal).store === store;
    };
    for (const [id, record] of Object.entries(observation.records.evictions)) {
        // One that may come back stays on record, and keeps no other one from its end.
        const found = isWalked(id) ? undefined : endLeft(observation, id, record);
        if (found !== undefined) {
            return found;
        }
    }
    return undefined;
}

function endLeft(observation: Observation, id: string, record: EvictionRecord): LeftBehind | undefined {
    const { stores, tombstones, evictedStores } = observation.pd;
    if (!stores.known || !evictedStores.known) {
        const why = stores.known ? (evictedStores.known ? "" : evictedStores.why) : stores.why;
        return { lacks: `whether store ${id} (${record.pod}) is still under eviction is not known: ${why}` };
    }
    const isThisStore = (store: { id: number }) => String(store.id) === id;
    if (!stores.value.some(isThisStore) && !(tombstones.known && tombstones.value.some(isThisStore))) {
        const { persistedEvictions } = observation.pd;
        if (persistedEvictions === notAsked) {
            return { look: lookAtEvictions };
        }
        // PD has no eviction for it, so there is nothing to end, whatever happened to the store.
        if (
            persistedEvictions.known &&
            !evictedStores.value.includes(Number(id)) &&
            !persistedEvictions.value.includes(Number(id))
        ) {
            return { action: { do: "forget-eviction", storeId: Number(id) } };
        }
        return {
            lacks: `the eviction of store ${id} (${record.pod}) is recorded, but PD lists that store neither as live nor as Tombstone`,
        };
    }
    return endOrForget(observation, Number(id), record);
}

function endOrForget(observation: Observation, storeId: number, record: EvictionRecord): LeftBehind | undefined {
    if (record.endedAt === undefined) {
        return { action: endOf(observation, storeId, record.pod) };
    }
    if (observation.pd.persistedEvictions === notAsked && !record.isGone) {
        return { look: lookAtEvictions };
    }
    const found = endedEviction(observation, storeId, record);
    if (found === "back") {
        return { action: endOf(observation, storeId, record.pod) };
    }
    return found === "gone" ? { action: { do: "forget-eviction", storeId } } : undefined;
}
