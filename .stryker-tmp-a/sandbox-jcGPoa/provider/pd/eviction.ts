import { answer } from "./answer";
import { describeCall, type PdCall } from "./call";
import { pdCalls } from "./calls";
import { lost, notReady, refused } from "./failure";
import { parseAcknowledgement, parseSchedulers } from "./parse";
import { evictedStores, hasLoadedSchedulers, keptEvictions, persistedEvictions } from "./persistedEvictions";
import type { PdTransport } from "./transport";
import type { Refusal } from "./verdict";

/**
 * Begins to evict leaders from a store. Success where that is so already. A PD that has not loaded its schedulers takes
 * the call, and forgets all evictions that it kept, those of others too: it is not asked.
 */
export async function beginLeaderEviction(transport: PdTransport, storeId: number): Promise<void> {
    const call = pdCalls.beginLeaderEviction(storeId);
    const others = await listLoaded(transport, call);
    const { verdict, endpoint, before } = await transport.ask(call, parseAcknowledgement);
    if (verdict.kind === "refused" && isUnknownStore(verdict)) {
        throw refused(call, { ...verdict, code: "PD_NOT_FOUND" }, endpoint, before);
    }
    // Versions of PD that refuse what is there already: tidb-operator pkg/pdapi/pdapi.go.
    if (verdict.kind === "refused" && verdict.code !== "PD_REFUSED") {
        throw refused(call, verdict, endpoint, before);
    }
    const listed = (await evictedStores(transport)) ?? [];
    const missing = [storeId, ...others].filter((id) => !listed.includes(id));
    if (missing.length === 0) {
        return;
    }
    throw verdict.kind === "refused"
        ? refused(call, verdict, endpoint, before)
        : lost(call, endpoint, before, `PD no longer lists the eviction of store ${missing.join(", ")}`);
}

/**
 * Ends the eviction of leaders from a store. Neither PD's yes nor its no is taken for it: an eviction that stays in PD's
 * list or in its etcd keeps leaders off the store, now or from the next election on. A PD that has not loaded its
 * schedulers knows none of them, and will load them: it is not asked.
 */
export async function endLeaderEviction(transport: PdTransport, storeId: number): Promise<void> {
    const call = pdCalls.endLeaderEviction(storeId);
    await listLoaded(transport, call);
    for (let left = mostLeftovers; ; left--) {
        const { verdict, endpoint, before } = await transport.ask(call, parseAcknowledgement);
        if (verdict.kind === "refused" && verdict.code === "PD_NOT_BOOTSTRAPPED") {
            throw refused(call, verdict, endpoint, before);
        }
        if (((await evictedStores(transport)) ?? []).includes(storeId)) {
            throw verdict.kind === "refused"
                ? refused(call, verdict, endpoint, before)
                : lost(call, endpoint, before, `store ${storeId} is still under eviction`);
        }
        if (!(await persistedEvictions(transport)).includes(storeId)) {
            return;
        }
        if (left === 0) {
            throw lost(call, endpoint, before, `PD keeps the eviction of store ${storeId} for its next leader`);
        }
        // The leader may have changed, and then the eviction is not a leftover, but not loaded yet.
        await listLoaded(transport, call);
        // The end of an eviction takes one entry out of PD's configuration: what is begun anew can be ended anew.
        await answer(transport, pdCalls.beginLeaderEviction(storeId), parseAcknowledgement);
    }
}

/** Entries of evictions that were begun before PD had loaded its schedulers: one for each time that it was so. */
const mostLeftovers = 3;

/**
 * @returns the stores under eviction, from a PD that has loaded its schedulers
 * @throws PdError `PD_NOT_READY` where it has not: it lists no scheduler that it loads, or lacks evictions that it keeps
 */
async function listLoaded(transport: PdTransport, call: PdCall): Promise<number[]> {
    const question = { ...pdCalls.schedulers, purpose: `list PD's schedulers, to ${call.purpose}` };
    const isLoaded = hasLoadedSchedulers(await answer(transport, question, parseSchedulers));
    const kept = await keptEvictions(transport);
    const listed = (await evictedStores(transport)) ?? [];
    // PD loads its schedulers one after the other, this one among the last.
    const lacksSome = kept !== "no gateway" && kept?.some((id) => !listed.includes(id));
    if (!isLoaded || lacksSome) {
        throw notReady(`${describeCall(call)}, which was not sent`);
    }
    return listed;
}

/** PD says so with 500, not with 404. */
function isUnknownStore({ reason }: Refusal): boolean {
    return reason.includes("PD:core:ErrStoreNotFound");
}
