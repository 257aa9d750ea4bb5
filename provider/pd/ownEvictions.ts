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

/** How long PD keeps leaders away at least, in seconds. The scheduler of stores that stop has no such field. */
const recoveryField = "recovery-duration";

/** A scheduler without a list answers so, with 200: tikv/pd pkg/schedule/schedulers/base_scheduler.go. */
const noList = "not implements";

/** The stores that a scheduler's configuration names. */
interface NamedStores {
    readonly ids: readonly number[];
    readonly recoverySeconds?: number;
}

/**
 * Lists the stores whose leaders PD evicts by itself. Before 8.5.6 the list of such a scheduler has null in place of its stores, and up to
 * 7.5 there is no list: only the scheduler's key in etcd has them.
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
    const none = { when: isUnknown, result: { ids: [] } };
    const call = pdCalls.schedulerList(scheduler);
    const parse = (body: string) => (body.trim() === noList ? undefined : parseOwnEvictions(body, scheduler));
    const stores = (await askPd(transport, call, parse, none)) ?? (await storedStores(transport, scheduler));
    if (stores === "unreported") {
        return stores;
    }
    const { ids, ...more } = stores;
    return ids.map((storeId) => ({ storeId, scheduler, ...more }));
}

/** Reads the stores from the scheduler's key in etcd: without the key, or without stores in it, there are none. */
async function storedStores(transport: PdTransport, scheduler: PdOwnScheduler): Promise<NamedStores | "unreported"> {
    const clusterId = await askPd(transport, pdCalls.clusterId, parseClusterId);
    const key = keyOf(`/pd/${clusterId}/scheduler_config/${scheduler}`);
    try {
        const [stored] = (await askEtcd(transport, etcdCalls.range(`read ${scheduler} in PD's etcd`, key), parseRange))
            .keys;
        const none = { ids: [] };
        return stored === undefined ? none : (parseOwnEvictions(stored.value.toString("utf8"), scheduler) ?? none);
    } catch (error) {
        if (error instanceof PdError && error.code === "PD_NO_GATEWAY") {
            return "unreported";
        }
        throw error;
    }
}

/** @returns the stores that a scheduler's configuration names; undefined if it has null in place of the first list, which every version has. */
function parseOwnEvictions(body: string, scheduler: PdOwnScheduler): NamedStores | undefined {
    const answer = asObject(decodeWire(body), scheduler);
    const [first, ...more] = storeFields[scheduler];
    const idsIn = (field: string) =>
        asArray(answer[field] ?? [], field).map((id, index) => asCount(id, `${field}[${index}]`));
    const ids = [...new Set([first, ...more].flatMap(idsIn))].sort((one, other) => one - other);
    if (ids.length === 0 && (answer[first] === null || answer[first] === undefined)) {
        return undefined;
    }
    const recovery = answer[recoveryField] ?? undefined;
    return { ids, ...(recovery === undefined ? {} : { recoverySeconds: asCount(recovery, recoveryField) }) };
}
