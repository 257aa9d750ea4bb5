import { answer, isUnknown } from "./answer";
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
 * Whether PD has loaded its schedulers since its last election, by the names of those that it runs. Others may have been
 * begun since; this one it loads.
 */
export function hasLoadedSchedulers(schedulers: readonly string[]): boolean {
    return schedulers.includes("balance-leader-scheduler");
}

/** The stores under eviction, ascending. The scheduler goes with its last store, and its list is then 404: undefined. */
export function evictedStores(transport: PdTransport): Promise<number[] | undefined> {
    return answer(transport, pdCalls.evictedStores, parseEvictedStores, { when: isUnknown, give: undefined });
}

/**
 * The stores that PD's next leader will evict, ascending. It loads the scheduler from its own key in etcd, and else from
 * its configuration (tikv/pd pkg/schedule/coordinator.go). An eviction that was begun before PD had loaded its schedulers
 * leaves a second entry in the configuration, which the end of the eviction does not take away.
 */
export async function persistedEvictions(transport: PdTransport): Promise<number[]> {
    const kept = await keptEvictions(transport);
    const stores = kept === "no gateway" ? await listedEvictions(transport) : kept;
    return stores ?? answer(transport, pdCalls.scheduleConfig, parseConfiguredEvictions);
}

/** The stores of the scheduler's own key in etcd; undefined where there is no such key. */
export async function keptEvictions(transport: PdTransport): Promise<number[] | "no gateway" | undefined> {
    const clusterId = await answer(transport, pdCalls.clusterId, parseClusterId);
    const key = keyOf(`/pd/${clusterId}/scheduler_config/evict-leader-scheduler`);
    const call = etcdCalls.range("read the leader evictions that PD keeps", key);
    try {
        const [kept] = (await askEtcd(transport, call, parseRange)).keys;
        return kept && parseEvictedStores(kept.value.toString("utf8"));
    } catch (error) {
        if (error instanceof PdError && error.code === "PD_NO_GATEWAY") {
            return "no gateway";
        }
        throw error;
    }
}

/** A PD that has loaded its schedulers writes each change to etcd first, so that its list is as good. */
async function listedEvictions(transport: PdTransport): Promise<number[] | undefined> {
    if (!hasLoadedSchedulers(await answer(transport, pdCalls.schedulers, parseSchedulers))) {
        throw notReady(describeCall(pdCalls.evictedStores));
    }
    return evictedStores(transport);
}

/** Reads the stores of the evict-leader schedulers in PD's configuration. The first argument of each is its store. */
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
