import { endedEviction } from "../stages/evictionRecord";
import type { Fact } from "../vocabulary/evidence";
import type { Leftover } from "../vocabulary/leftover";
import type { Action } from "../vocabulary/actions";
import type { EvictionRecord, Observation } from "../vocabulary/observation";
import { openEvictions } from "./openEvictions";
import { counted } from "../vocabulary/counted";

/** @returns our evictions on record, and those that somebody else has set. An eviction in PD has no name: only the record tells. */
export function leftEvictions(observation: Observation): Leftover[] {
    const { pd, records } = observation;
    const ours = Object.entries(records.evictions).map(([id, record]) => leftEviction(observation, Number(id), record));
    // An eviction that began after PD had dropped ours is somebody else's.
    const over = ours.flatMap(({ action }) => (action?.do === "forget-eviction" ? [action.storeId] : []));
    const listed = pd.evictedStores.known ? pd.evictedStores.value : [];
    const foreign = listed.filter((id) => !(id in records.evictions) || over.includes(id));
    return [...ours, ...foreign.map((id) => foreignEviction(observation, id))];
}

function leftEviction(observation: Observation, storeId: number, record: EvictionRecord): Leftover {
    const { evictedStores } = observation.pd;
    const isListed = evictedStores.known && evictedStores.value.includes(storeId);
    const ours = {
        kind: "eviction",
        target: `store ${storeId} (${record.pod})`,
        seen: isListed
            ? "PD keeps leaders away from it"
            : evictedStores.known
              ? "an eviction is on record, and PD does not list it"
              : "an eviction is on record",
        by: `a run of pulumi-tidb, which began to evict ${counted(record.leadersBefore, "leader")} at ${new Date(record.begunAt).toISOString()}`,
        isOurs: true,
    } as const;
    const end = (action: Action, why: string): Leftover => ({ ...ours, verdict: "remove", why, action });
    const forget = () =>
        end({ do: "forget-eviction", storeId }, "PD has dropped the eviction for good: its record is deleted");
    const unknown = whyNotKnown(observation);
    if (unknown !== undefined) {
        return { ...ours, verdict: "not known", why: unknown };
    }
    if (record.endedAt === undefined) {
        const { toEnd, toKeep } = openEvictions(observation);
        const action = toEnd.find((one) => one.storeId === storeId);
        if (action) {
            return end(action, "the eviction ends, and leaders return to the store");
        }
        if (isUnlisted(observation, storeId)) {
            return forget();
        }
        const why = toKeep.find((one) => one.storeId === storeId)?.why ?? "";
        return { ...ours, verdict: "keep", why: `${why}: leaders must not return to it yet. ${later}` };
    }
    switch (endedEviction(observation, storeId, record)) {
        case "gone":
            return forget();
        case "back": {
            const { leadership } = observation.pd;
            const under = leadership.known ? leadership.value.term : undefined;
            return end({ do: "end-eviction", storeId, pod: record.pod, under }, "PD brought it back: it ends again");
        }
        case "unverified":
        case "not known": {
            const { persistedEvictions: kept } = observation.pd;
            return { ...ours, verdict: "not known", why: `whether PD has dropped it: ${kept.known ? "" : kept.why}` };
        }
    }
}

const later = "Run `pulumi up`, or sweep again once the store is Up";

/** Why no eviction can be judged. */
function whyNotKnown({ pd: { evictedStores, stores, tombstones, leadership } }: Observation): string | undefined {
    const unknown = [evictedStores, stores, tombstones, leadership].find((fact) => !fact.known);
    return unknown?.known === false ? unknown.why : undefined;
}

/** Whether PD has neither the store nor an eviction of it. Then there is nothing to end, whatever happened to the store. */
function isUnlisted({ pd }: Observation, storeId: number): boolean {
    const { stores, tombstones, evictedStores, persistedEvictions } = pd;
    const lacks = (fact: Fact<number[]>) => fact.known && !fact.value.includes(storeId);
    const lacksStore = [stores, tombstones].every((fact) => fact.known && fact.value.every(({ id }) => id !== storeId));
    return lacksStore && lacks(evictedStores) && lacks(persistedEvictions);
}

function foreignEviction({ pd: { stores } }: Observation, storeId: number): Leftover {
    const store = stores.known ? stores.value.find(({ id }) => id === storeId) : undefined;
    return {
        kind: "eviction",
        target: `store ${storeId} (${store?.podName ?? "not listed by PD"})`,
        seen: "PD keeps leaders away from it",
        by: "somebody else: this cluster's Lease has no record of it",
        isOurs: false,
        verdict: "keep",
        why: `it is not ours. If nobody needs it: pd-ctl scheduler remove evict-leader-scheduler-${storeId}`,
    };
}
