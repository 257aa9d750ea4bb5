import { known, mapFact, notAsked } from "../evidence";
import type { Observation, ObservedPd } from "../observation";
import { isOnSilentNode, withLeaders, withPd, withStores } from "./foreseen";
import { compareVersions, type Version, versionOfTag } from "../../../../topology/imageVersion";
import { counted } from "../counted";
import { fewLeaders } from "../leaderLimits";
import type { EvictionRecord, OperationRecords } from "../operationRecords";
import { type KindsOf, record } from "./actionKind";
import { podNamed } from "../podIndex";
import { without } from "./without";

/** Actions that keep the leaders of regions away from a store, and let them return. */
export type EvictionAction =
    | { do: "begin-eviction"; storeId: number; pod: string; leaders: number }
    | { do: "end-eviction"; storeId: number; pod: string; under?: string }
    | { do: "note-eviction-gone"; storeId: number }
    | { do: "forget-eviction"; storeId: number };

export const evictionActions: KindsOf<EvictionAction> = {
    "begin-eviction": {
        describe: ({ leaders, storeId, pod }) => `evict ${counted(leaders, "leader")} from store ${storeId} (${pod})`,
        inStep: ({ leaders }) => `evict ${counted(leaders, "leader")}`,
        clients: ({ leaders }) => ({ is: "leaders move", leaders }),
        seconds: ({ leaders }, seen) => leaders / evictedASecond(seen),
        on: ({ storeId }) => storeId,
        beginsWait: "its own",
        before: withEvictionBegun,
        perform: ({ storeId }, { pd }) => pd.beginLeaderEviction(storeId),
        foresee: (seen, { storeId, pod }) => ledBy(withEviction(seen, storeId, true), storeId, pod, 0),
    },
    "end-eviction": {
        describe: ({ storeId, pod }) => `end the eviction of store ${storeId} (${pod})`,
        inStep: () => "end the eviction",
        seconds: ({ storeId }, seen) => {
            const { leadersBefore = 0 } = seen.records.evictions[storeId] ?? {};
            return leadersBefore < fewLeaders ? 0 : (leadersBefore * 2) / 3 / returnedASecond(seen);
        },
        on: ({ storeId }) => storeId,
        needsNoConsent: () => true,
        after: (records, { storeId, under }, now) =>
            withEvictionNoted(records, storeId, { endedAt: now, endedUnder: under }),
        perform: ({ storeId }, { pd }) => pd.endLeaderEviction(storeId),
        foresee: (seen, { storeId, pod }) =>
            ledBy(
                withEviction(seen, storeId, false),
                storeId,
                pod,
                seen.records.evictions[storeId]?.leadersBefore ?? leadersOf(seen, storeId),
            ),
    },
    "note-eviction-gone": record({
        describe: ({ storeId }) => `record that PD has dropped the eviction of store ${storeId}`,
        on: ({ storeId }) => storeId,
        after: (records, { storeId }) => withEvictionNoted(records, storeId, { isGone: true }),
    }),
    "forget-eviction": {
        ...record({
            describe: ({ storeId }) => `delete the record of the finished eviction of store ${storeId}`,
            on: ({ storeId }) => storeId,
            after: (records, { storeId }) => ({ ...records, evictions: without(records.evictions, String(storeId)) }),
        }),
        // What the store itself says of its leaders is not read any more.
        foresee: (seen, { storeId }) => ({
            ...seen,
            ownLeaders: without(seen.ownLeaders, seen.records.evictions[storeId]?.pod ?? ""),
        }),
    },
};

/**
 * PD's rates in leaders per second, measured on a real PD 8.5.4 with `leader-schedule-limit` at 4, the default, and at 64: 7 times as
 * many leave, and 5 times as many return.
 */
const evictedASecond = (seen: Observation) => 20 * limitOf(seen) ** 0.7;
const returnedASecond = (seen: Observation) => 12 * limitOf(seen) ** 0.58;

/** @returns PD's limit as a multiple of its default. */
function limitOf({ pd: { leaderLimits } }: Observation): number {
    const limit = leaderLimits.known ? (leaderLimits.value["leader-schedule-limit"] ?? 0) : 0;
    return limit > 0 ? limit / defaultLimit : 1;
}

/** PD's default of `leader-schedule-limit`. */
const defaultLimit = 4;

function withEviction(seen: Observation, storeId: number, isEvicted: boolean): Observation {
    const change = (stores: readonly number[]) => [
        ...stores.filter((id) => id !== storeId),
        ...(isEvicted ? [storeId] : []),
    ];
    return withPd(seen, ({ evictedStores, persistedEvictions, leaderLimits, members }) => ({
        evictedStores: mapFact(evictedStores, change),
        leaderLimits: mapFact(leaderLimits, ({ batch, ...limits }) =>
            isEvicted && (batch !== undefined || hasBatch(members))
                ? { ...limits, batch: batch ?? defaultBatch }
                : limits,
        ),
        // After an end, PD's etcd has it no more, and need not be asked.
        persistedEvictions: mapFact(
            persistedEvictions === notAsked && !isEvicted ? evictedStores : persistedEvictions,
            change,
        ),
    }));
}

/** PD's default. */
const defaultBatch = 3;
/** The scheduler of evictions has the limit since then, while it evicts a store. */
const firstWithBatch: Version = [8, 3, 0];

/** A member that does not say its version is taken for a newer one. */
function hasBatch(members: ObservedPd["members"]): boolean {
    return (
        members.known &&
        members.value.every(({ version }) => {
            const numbers = version === undefined ? undefined : versionOfTag(version);
            return numbers === undefined || compareVersions(numbers, firstWithBatch) >= 0;
        })
    );
}

/** The store has this many leaders, and says so itself. */
function ledBy(seen: Observation, storeId: number, pod: string, leaders: number): Observation {
    const { evictedStores } = seen.pd;
    const isEvicted = (id: number) => evictedStores.known && evictedStores.value.includes(id);
    // A store whose node does not answer can only be asked if it has answered.
    const of = podNamed(seen, pod);
    const isSilent = of !== undefined && isOnSilentNode(of) && seen.ownLeaders[pod]?.known !== true;
    const ownLeaders = isSilent ? seen.ownLeaders : { ...seen.ownLeaders, [pod]: known(leaders, pod, seen.now) };
    return { ...withStores(seen, (stores) => withLeaders(stores, storeId, leaders, isEvicted)), ownLeaders };
}

function leadersOf({ pd: { stores } }: Observation, storeId: number): number {
    return (stores.known && stores.value.find(({ id }) => id === storeId)?.leaderCount.reported) || 0;
}

/** @returns the records with an eviction that is about to begin. An eviction under way keeps its earlier leader count. */
function withEvictionBegun(
    records: OperationRecords,
    { storeId, pod, leaders }: { storeId: number; pod: string; leaders: number },
    now: number,
): OperationRecords {
    const known = records.evictions[storeId];
    const before = known && known.endedAt === undefined ? known.leadersBefore : 0;
    const begun = { pod, begunAt: now, leadersBefore: Math.max(before, leaders) };
    return { ...records, evictions: { ...records.evictions, [storeId]: begun } };
}

/** @returns the records with an eviction updated; unchanged if there is no record for the store. */
export function withEvictionNoted(
    records: OperationRecords,
    storeId: number,
    noted: Partial<EvictionRecord>,
): OperationRecords {
    const known = records.evictions[storeId];
    return known ? { ...records, evictions: { ...records.evictions, [storeId]: { ...known, ...noted } } } : records;
}
