import { askPd, isUnknown } from "./askPd";
import { pdCalls } from "./calls";
import { askEtcd, parseRange } from "./etcd";
import { etcdCalls, keyOf } from "./etcdCalls";
import { decodeWire } from "./json";
import type { PdOwnEviction, PdOwnEvictions, PdOwnScheduler } from "./model";
import { parseClusterId } from "./parse";
import { PdError } from "./pdError";
import type { PdTransport } from "./transport";
import { asArray, asCount, asObject } from "./wireFields";

/**
 * The fields of each scheduler's list that name stores to which PD sends no leaders: tikv/pd pkg/schedule/schedulers/evict_slow_store.go,
 * evict_slow_trend.go, evict_stopping_store.go. PD has the last one, and the network's, since 8.5.6.
 */
const storeFields: Readonly<Record<PdOwnScheduler, readonly string[]>> = {
    "evict-slow-store-scheduler": ["evict-stores", "evicted-network-slow-stores", "paused-network-slow-stores"],
    "evict-slow-trend-scheduler": ["evict-by-trend-stores"],
    "evict-stopping-store-scheduler": ["evicted-stores"],
};

/**
 * Lists the stores whose leaders PD evicts by itself. Before 8.5.6 the list of such a scheduler has null in place of its stores, and only
 * the scheduler's key in etcd has them.
 */
export async function ownEvictions(transport: PdTransport): Promise<PdOwnEvictions> {
    const names = Object.keys(storeFields) as PdOwnScheduler[];
    const lists = await Promise.all(names.map((scheduler) => listOf(transport, scheduler)));
    return {
        evictions: lists.flatMap((list) => (list === "unreported" ? [] : list)),
        unreported: names.filter((_, index) => lists[index] === "unreported"),
    };
}

async function listOf(transport: PdTransport, scheduler: PdOwnScheduler): Promise<PdOwnEviction[] | "unreported"> {
    const none = { when: isUnknown, result: [] as number[] };
    const call = pdCalls.schedulerList(scheduler);
    const stores = (await askPd(transport, call, (body) => parseOwnEvictions(body, scheduler), none)) ?? "null";
    const stored = stores === "null" ? await storedStores(transport, scheduler) : stores;
    return stored === "unreported" ? stored : stored.map((storeId) => ({ storeId, scheduler }));
}

/** Reads the stores from the scheduler's key in etcd: without the key, or without stores in it, there are none. */
async function storedStores(transport: PdTransport, scheduler: PdOwnScheduler): Promise<number[] | "unreported"> {
    const clusterId = await askPd(transport, pdCalls.clusterId, parseClusterId);
    const key = keyOf(`/pd/${clusterId}/scheduler_config/${scheduler}`);
    try {
        const [stored] = (await askEtcd(transport, etcdCalls.range(`read ${scheduler} in PD's etcd`, key), parseRange))
            .keys;
        return stored === undefined ? [] : (parseOwnEvictions(stored.value.toString("utf8"), scheduler) ?? []);
    } catch (error) {
        if (error instanceof PdError && error.code === "PD_NO_GATEWAY") {
            return "unreported";
        }
        throw error;
    }
}

/** @returns the stores that a scheduler's configuration names; undefined if it has null in place of the first list, which every version has. */
export function parseOwnEvictions(body: string, scheduler: PdOwnScheduler): number[] | undefined {
    const answer = asObject(decodeWire(body), scheduler);
    const [first, ...more] = storeFields[scheduler];
    const idsIn = (field: string) =>
        asArray(answer[field] ?? [], field).map((id, index) => asCount(id, `${field}[${index}]`));
    const ids = [...new Set([first, ...more].flatMap(idsIn))].sort((one, other) => one - other);
    return ids.length === 0 && (answer[first] === null || answer[first] === undefined) ? undefined : ids;
}
