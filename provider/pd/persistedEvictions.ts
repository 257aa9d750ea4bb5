import { askPd, isUnknown } from "./askPd";
import { describeCall } from "./call";
import { pdCalls } from "./calls";
import { askEtcd, parseRange } from "./etcd";
import { etcdCalls, keyOf } from "./etcdCalls";
import { notReady } from "./failure";
import { decodeWire } from "./json";
import { parseClusterId, parseEvictedStores, parseSchedulers } from "./parse";
import { PdError } from "./pdError";
import type { PdTransport } from "./transport";
import { asArray, asBoolean, asCount, asObject, asTexts, optional } from "./wireFields";

/**
 * Whether PD has loaded its schedulers since its last election, by the names of those that it runs. PD always loads
 * balance-leader-scheduler; other schedulers may have been added since the election.
 */
export function hasLoadedSchedulers(schedulers: readonly string[]): boolean {
    return schedulers.includes("balance-leader-scheduler");
}

/** Lists the stores under eviction, ascending; undefined on a 404: the scheduler disappears with its last store. */
export function evictedStores(transport: PdTransport): Promise<number[] | undefined> {
    return askPd(transport, pdCalls.evictedStores, parseEvictedStores, { when: isUnknown, result: undefined });
}

/**
 * Lists the stores that PD's next leader will evict, ascending. PD loads the scheduler from the scheduler's key in
 * etcd, or without that key from its configuration (tikv/pd pkg/schedule/coordinator.go). An eviction that was begun
 * before PD had loaded its schedulers leaves a second entry in the configuration, which the end of the eviction does
 * not remove.
 */
export async function persistedEvictions(transport: PdTransport): Promise<number[]> {
    const stored = await storedEvictions(transport);
    const stores = stored === "no gateway" ? await listedEvictions(transport) : stored;
    return stores ?? askPd(transport, pdCalls.scheduleConfig, parseConfiguredEvictions);
}

/** Reads the stores from the scheduler's key in etcd; undefined if there is no such key. */
export async function storedEvictions(transport: PdTransport): Promise<number[] | "no gateway" | undefined> {
    const clusterId = await askPd(transport, pdCalls.clusterId, parseClusterId);
    const key = keyOf(`/pd/${clusterId}/scheduler_config/evict-leader-scheduler`);
    const call = etcdCalls.range("read the leader evictions that PD has persisted", key);
    try {
        const [stored] = (await askEtcd(transport, call, parseRange)).keys;
        return stored && parseEvictedStores(stored.value.toString("utf8"));
    } catch (error) {
        if (error instanceof PdError && error.code === "PD_NO_GATEWAY") {
            return "no gateway";
        }
        throw error;
    }
}

/**
 * Lists the evictions without etcd. A PD that has loaded its schedulers writes each change to etcd first, so its list
 * is as good.
 */
async function listedEvictions(transport: PdTransport): Promise<number[] | undefined> {
    if (!hasLoadedSchedulers(await askPd(transport, pdCalls.schedulers, parseSchedulers))) {
        throw notReady(describeCall(pdCalls.evictedStores));
    }
    return evictedStores(transport);
}

/**
 * Reads the stores of the evict-leader schedulers in PD's configuration. The first argument of each scheduler is its
 * store.
 */
function parseConfiguredEvictions(body: string): number[] {
    const schedulers = asArray(asObject(decodeWire(body), "schedule")["schedulers-v2"], "schedulers-v2");
    const stores = schedulers.flatMap((element, index) => {
        const field = `schedulers-v2[${index}]`;
        const { type, args, disable } = asObject(element, field);
        if (type !== "evict-leader" || optional(disable, `${field}.disable`, asBoolean)) {
            return [];
        }
        const [store] = asTexts(args, `${field}.args`);
        return [asCount(Number(store), `${field}.args[0]`)];
    });
    return [...new Set(stores)].sort((one, other) => one - other);
}
