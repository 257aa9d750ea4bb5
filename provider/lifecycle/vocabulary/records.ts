import type { Component } from "../../../topology/members";
import type { EvictionRecord, OperationRecords } from "./observation";
import { entriesOf, type LimitChanges, type RaisedLimits } from "./leaderLimits";
import { shortDigest } from "./shortDigest";
import type { SettingsRecord } from "./settings";

/** The records in the cluster's Lease of evictions, removals and settings that were begun, and how actions change them. */

/** @returns the records extended by an eviction that is about to begin. An eviction under way keeps its earlier leader count. */
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

/** @returns the records with an eviction updated; unchanged if there is no record for the store. */
export function withEvictionNoted(
    records: OperationRecords,
    storeId: number,
    noted: Partial<EvictionRecord>,
): OperationRecords {
    const known = records.evictions[storeId];
    return known ? { ...records, evictions: { ...records.evictions, [storeId]: { ...known, ...noted } } } : records;
}

/** @returns the records without an eviction that has finished for good. */
export function withoutEviction(records: OperationRecords, storeId: number): OperationRecords {
    return { ...records, evictions: without(records.evictions, String(storeId)) };
}

/**
 * @param of the id of the store or the PD member.
 * @returns the records extended by a removal that is about to begin. A removal under way keeps its start time.
 */
export function withRemoval(
    records: OperationRecords,
    of: string | number,
    { pod, onClaims = [] }: { pod: string; onClaims?: readonly string[] },
    now: number,
): OperationRecords {
    const on = onClaims.length > 0 ? { onClaims } : {};
    const removal = records.removals[of] ?? { pod, begunAt: now, ...on };
    return { ...records, removals: { ...records.removals, [of]: removal } };
}

/** @returns the records without a removal that has finished for good. */
export function withoutRemoval(records: OperationRecords, of: string): OperationRecords {
    return { ...records, removals: without(records.removals, of) };
}

/** @returns the records with the settings that a run is about to change. */
export function withSettings(
    records: OperationRecords,
    component: Component,
    record: SettingsRecord,
): OperationRecords {
    return { ...records, settings: { ...records.settings, [component]: record } };
}

/** @returns the records without the member's settings: nothing of them is half done any more. */
export function withoutSettings(records: OperationRecords, component: Component): OperationRecords {
    const { settings, ...others } = records;
    const left = without({ ...settings }, component);
    return Object.keys(left).length === 0 ? others : { ...others, settings: left };
}

/** @returns the records with the limits that a run has raised: PD has acknowledged the changes. */
export function withLimitsSet(
    records: OperationRecords,
    record: RaisedLimits,
    changes: LimitChanges,
): OperationRecords {
    const limits = entriesOf(record.limits).map(([name, limit]) => [
        name,
        changes[name] === undefined ? limit : { ...limit, isSet: true },
    ]);
    return { ...records, raisedLimits: { ...record, limits: Object.fromEntries(limits) as RaisedLimits["limits"] } };
}

/**
 * @param returned the stores whose leaders are back.
 * @returns the records without raised limits: what was there before is back, or somebody else has changed it.
 */
export function withoutRaisedLimits(records: OperationRecords, returned: readonly number[] = []): OperationRecords {
    const { raisedLimits, ...rest } = records;
    const others = raisedLimits === undefined ? records : rest;
    return returned.reduce((all, id) => withEvictionNoted(all, id, { limitsBack: true }), others);
}

/** @returns the records without a batch: its pods are as before. */
export function withoutBatch(records: OperationRecords): OperationRecords {
    const { batch, ...others } = records;
    return batch === undefined ? records : others;
}

/** @returns the records extended by an unsafe recovery that is about to begin. One that was begun before keeps its time. */
export function withRecoveryBegun(
    records: OperationRecords,
    { stores, risk }: { stores: readonly number[]; risk: string },
    now: number,
): OperationRecords {
    const { finished = [], begun } = records.unsafeRecovery ?? {};
    const at = begun !== undefined && areSameStores(begun.stores, stores) ? begun.at : now;
    return { ...records, unsafeRecovery: { finished, begun: { stores, at, risk: shortDigest(risk) } } };
}

/** @returns the records without an unsafe recovery of these stores that was begun: PD has refused it, or given it up. */
export function withoutRecoveryBegun(records: OperationRecords, stores: readonly number[]): OperationRecords {
    const { unsafeRecovery, ...others } = records;
    const { finished, begun } = unsafeRecovery ?? {};
    if (finished === undefined || begun === undefined || !areSameStores(begun.stores, stores)) {
        return records;
    }
    return finished.length === 0 ? others : { ...others, unsafeRecovery: { finished } };
}

/** @returns the records with an unsafe recovery that PD has finished. It stays on record: PD forgets it, and later the stores too. */
export function withRecoveryFinished(records: OperationRecords, stores: readonly number[]): OperationRecords {
    const finished = [...new Set([...(records.unsafeRecovery?.finished ?? []), ...stores])];
    return { ...records, unsafeRecovery: { finished: finished.sort((one, other) => one - other) } };
}

/** @returns whether both are the same stores. Both ascend. */
export function areSameStores(some: readonly number[] | undefined, others: readonly number[]): boolean {
    return some?.join() === others.join();
}

/** @returns `store 4`, `stores 4, 5`. */
export function storesInWords(stores: readonly number[]): string {
    return `${stores.length === 1 ? "store" : "stores"} ${stores.join(", ")}`;
}

function without<T>(entries: Record<string, T>, key: string): Record<string, T> {
    return Object.fromEntries(Object.entries(entries).filter(([one]) => one !== key));
}
