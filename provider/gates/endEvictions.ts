import { endedEviction } from "../lifecycle/evictionRecord";
import { openEvictions } from "../lifecycle/openEvictions";
import type { LookOptions } from "../lifecycle/look";
import type { GatePorts, HeldLock } from "./ports";
import { needsOf, takeAction } from "./takeAction";

/** What ending our evictions is decided from. */
export const lookForEvictions: LookOptions = {
    components: ["tikv"],
    pd: ["leadership", "stores", "tombstones", "evicted-stores", "persisted-evictions", "cluster-id"],
    status: [],
};

/**
 * Ends our evictions before a run that failed or was stopped ends. One of a store that is not well stays on record, and
 * is ended by the next run once the store is Up. Never throws: the reason why the run ends is what its user must see.
 */
export async function endEvictions(why: string, ports: GatePorts, lock: HeldLock | undefined): Promise<void> {
    let own: HeldLock | undefined;
    try {
        const observation = await ports.look(lookForEvictions);
        const { toEnd, toKeep } = openEvictions(observation);
        const held = lock ?? (toEnd.length > 0 ? (own = await lockOnce(why, ports)) : undefined);
        let { records } = observation;
        for (const action of held ? toEnd : []) {
            const needs = needsOf(observation, { action });
            records = await takeAction({ action, step: "eviction-ended", target: action.pod, needs }, records, ports, held!);
        }
        if (held && toEnd.length > 0) {
            await forgetGone(ports, held);
        }
        for (const { pod, why: trouble } of toKeep) {
            ports.progress.warn(`leaders are kept away from ${pod} (${trouble}): the next \`pulumi up\` ends that`);
        }
    } catch (error) {
        ports.progress.warn(
            `leaders may still be kept away from a store, which the next \`pulumi up\` ends: ${(error as Error).message}`,
        );
    } finally {
        await releaseLock(own, ports);
    }
}

/** Forgets the evictions that PD has let go of; others stay on record, and are looked at again. */
async function forgetGone(ports: GatePorts, lock: HeldLock): Promise<void> {
    const observation = await ports.look(lookForEvictions);
    let { records } = observation;
    for (const [id, record] of Object.entries(records.evictions)) {
        const storeId = Number(id);
        if (record.endedAt !== undefined && endedEviction(observation, storeId, record) === "gone") {
            const action = { do: "forget-eviction", storeId } as const;
            const step = { step: "eviction-forgotten", target: record.pod, needs: needsOf(observation, { action }) };
            records = await takeAction({ action, ...step }, records, ports, lock);
        }
    }
}

async function lockOnce(why: string, ports: GatePorts): Promise<HeldLock> {
    const lease = await ports.lease();
    const taken = lease && (await ports.tryLock(lease, why));
    if (!taken || !("lock" in taken)) {
        throw new Error(taken ? `${taken.heldBy} has the lock (${taken.operation})` : "the cluster's Lease is gone");
    }
    return taken.lock;
}

/** Gives the lock back. Where that fails it ends by itself, so that it is told and hides no other error. */
export async function releaseLock(lock: HeldLock | undefined, ports: GatePorts): Promise<void> {
    try {
        await lock?.release();
    } catch (error) {
        ports.progress.warn(`the lock ends by itself in a few seconds: ${(error as Error).message}`);
    }
}
