import { askPd } from "./askPd";
import { describeCall, type PdCall } from "./call";
import { pdCalls } from "./calls";
import { notApplied, notReady, refused } from "./failure";
import { parseAcknowledgement, parseSchedulers } from "./parse";
import { evictedStores, hasLoadedSchedulers, storedEvictions, persistedEvictions } from "./persistedEvictions";
import type { PdTransport } from "./transport";
import type { Refusal } from "./verdict";

/**
 * Begins to evict leaders from a store. Succeeds if the store is under eviction already. The call is not sent to a PD
 * that has not loaded its schedulers: it would accept the call and forget all persisted evictions, those of others
 * included.
 */
export async function beginLeaderEviction(transport: PdTransport, storeId: number): Promise<void> {
    const call = pdCalls.beginLeaderEviction(storeId);
    const others = await listLoaded(transport, call);
    const { verdict, endpoint, before } = await transport.ask(call, parseAcknowledgement);
    if (verdict.kind === "refused" && isUnknownStore(verdict)) {
        throw refused(call, { ...verdict, code: "PD_NOT_FOUND" }, endpoint, before);
    }
    // Some versions of PD refuse an eviction that exists already: tidb-operator pkg/pdapi/pdapi.go.
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
        : notApplied(call, endpoint, before, `PD no longer lists the eviction of store ${missing.join(", ")}`);
}

/**
 * Ends the eviction of leaders from a store. Neither success nor a refusal is taken as proof: an eviction that stays in
 * PD's list or in its etcd keeps leaders off the store, now or from the next election on. The call is not sent to a PD
 * that has not loaded its schedulers: it does not know the evictions yet, and will load them.
 */
export async function endLeaderEviction(transport: PdTransport, storeId: number): Promise<void> {
    const call = pdCalls.endLeaderEviction(storeId);
    await listLoaded(transport, call);
    for (let left = maxLeftovers; ; left--) {
        const { verdict, endpoint, before } = await transport.ask(call, parseAcknowledgement);
        if (verdict.kind === "refused" && verdict.code === "PD_NOT_BOOTSTRAPPED") {
            throw refused(call, verdict, endpoint, before);
        }
        if (((await evictedStores(transport)) ?? []).includes(storeId)) {
            throw verdict.kind === "refused"
                ? refused(call, verdict, endpoint, before)
                : notApplied(call, endpoint, before, `store ${storeId} is still under eviction`);
        }
        if (!(await persistedEvictions(transport)).includes(storeId)) {
            return;
        }
        if (left === 0) {
            throw notApplied(
                call,
                endpoint,
                before,
                `the eviction of store ${storeId} is still persisted for PD's next leader`,
            );
        }
        // If the leader has changed, the eviction is not a leftover: the new leader has not loaded it yet.
        await listLoaded(transport, call);
        // Each end of an eviction removes one entry from PD's configuration, so begin it again to end it again.
        await askPd(transport, pdCalls.beginLeaderEviction(storeId), parseAcknowledgement);
    }
}

/**
 * How many leftover entries to remove. Each eviction that was begun before PD had loaded its schedulers leaves one in
 * PD's configuration.
 */
const maxLeftovers = 3;

/**
 * @returns the stores under eviction, from a PD that has loaded its schedulers
 * @throws PdError `PD_NOT_READY` if it has not: it does not list a scheduler that it loads, or lacks a persisted
 * eviction
 */
async function listLoaded(transport: PdTransport, call: PdCall): Promise<number[]> {
    const question = { ...pdCalls.schedulers, purpose: `list PD's schedulers, to ${call.purpose}` };
    const isLoaded = hasLoadedSchedulers(await askPd(transport, question, parseSchedulers));
    const stored = await storedEvictions(transport);
    const listed = (await evictedStores(transport)) ?? [];
    // PD loads its schedulers one at a time, this one among the last.
    const lacksSome = stored !== "no gateway" && stored?.some((id) => !listed.includes(id));
    if (!isLoaded || lacksSome) {
        throw notReady(describeCall(call));
    }
    return listed;
}

/** PD answers with status 500, not 404. */
function isUnknownStore({ reason }: Refusal): boolean {
    return reason.includes("PD:core:ErrStoreNotFound");
}
