import { answer, isAbsent } from "./answer";
import { pdCalls } from "./calls";
import { refused, stillThere } from "./failure";
import { parseAcknowledgement, parseEvictedStores } from "./parse";
import type { PdTransport } from "./transport";
import type { Refusal } from "./verdict";

/**
 * The stores under eviction, ascending. The scheduler goes with its last store, and its list is then 404: nobody is
 * evicted.
 */
export function evictedStores(transport: PdTransport): Promise<number[]> {
    return answer(transport, pdCalls.evictedStores, parseEvictedStores, { when: isAbsent, give: [] });
}

/** Begins to evict leaders from a store. Success where that is so already. */
export async function beginLeaderEviction(transport: PdTransport, storeId: number): Promise<void> {
    const call = pdCalls.beginLeaderEviction(storeId);
    const { verdict, endpoint, before } = await transport.ask(call, parseAcknowledgement);
    if (verdict.kind === "done") {
        return;
    }
    if (isUnknownStore(verdict)) {
        throw refused(call, { ...verdict, code: "PD_NOT_FOUND" }, endpoint, before);
    }
    // Versions of PD that refuse what is there already: tidb-operator pkg/pdapi/pdapi.go.
    if (verdict.code === "PD_REFUSED" && (await evictedStores(transport)).includes(storeId)) {
        return;
    }
    throw refused(call, verdict, endpoint, before);
}

/** Ends the eviction of leaders from a store, and sees that it is gone. Success where it was gone already. */
export async function endLeaderEviction(transport: PdTransport, storeId: number): Promise<void> {
    const call = pdCalls.endLeaderEviction(storeId);
    const { verdict, endpoint, before } = await transport.ask(call, parseAcknowledgement);
    if (verdict.kind === "refused" && verdict.code === "PD_NOT_FOUND") {
        return;
    }
    // An eviction left behind would keep leaders off the store for good, so neither PD's yes nor its no is taken for it.
    if (!(await evictedStores(transport)).includes(storeId)) {
        return;
    }
    throw verdict.kind === "done"
        ? stillThere(call, endpoint, before, `store ${storeId} is still under eviction`)
        : refused(call, verdict, endpoint, before);
}

/** PD says so with 500, not with 404. */
function isUnknownStore({ reason }: Refusal): boolean {
    return reason.includes("PD:core:ErrStoreNotFound");
}
