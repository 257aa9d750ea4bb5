import type { EvictionRecord, OperationRecords } from "./observation";

/** What is kept in the cluster's Lease of evictions and removals that were begun, and how actions change it. */

/** @returns the records with an eviction that is about to begin; one that is under way keeps its leaders of before. */
export function withEvictionBegun(
    records: OperationRecords,
    { storeId, pod, leaders }: { storeId: number; pod: string; leaders: number },
    now: number,
): OperationRecords {
    const known = records.evictions[storeId];
    const before = known && known.endedAt === undefined ? known.leadersBefore : 0;
    const record = { pod, begunAt: now, leadersBefore: Math.max(before, leaders) };
    return { ...records, evictions: { ...records.evictions, [storeId]: record } };
}

/** @returns the records with something noted of an eviction; as they are where none of the store is on record. */
export function withEvictionNoted(
    records: OperationRecords,
    storeId: number,
    noted: Partial<EvictionRecord>,
): OperationRecords {
    const known = records.evictions[storeId];
    return known ? { ...records, evictions: { ...records.evictions, [storeId]: { ...known, ...noted } } } : records;
}

/** @returns the records without an eviction that is over for good. */
export function withoutEviction(records: OperationRecords, storeId: number): OperationRecords {
    return { ...records, evictions: without(records.evictions, String(storeId)) };
}

/**
 * @param of the store's id, or the PD member's name; its id where it has no name.
 * @returns the records with a removal that is about to begin; one that is under way began when it did.
 */
export function withRemoval(
    records: OperationRecords,
    of: string | number,
    pod: string,
    now: number,
): OperationRecords {
    const removal = records.removals[of] ?? { pod, begunAt: now };
    return { ...records, removals: { ...records.removals, [of]: removal } };
}

/** @returns the records without a removal that is over for good. */
export function withoutRemoval(records: OperationRecords, of: string): OperationRecords {
    return { ...records, removals: without(records.removals, of) };
}

function without<T>(entries: Record<string, T>, key: string): Record<string, T> {
    return Object.fromEntries(Object.entries(entries).filter(([one]) => one !== key));
}
