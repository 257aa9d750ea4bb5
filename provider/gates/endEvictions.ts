import { endedEviction } from "../lifecycle/stages/evictionRecord";
import { openEvictions } from "../lifecycle/walks/openEvictions";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { GatePorts, HeldLock } from "../cluster/ports";
import { needsOf, type StepAction, takeAction } from "./takeAction";

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
        let observation = await ports.look(lookForEvictions);
        for (let next = nextEnd(observation); next; next = nextEnd(observation)) {
            const held: HeldLock = lock ?? (own ??= await lockOnce(why, ports));
            const needs = needsOf(observation, next);
            await takeAction({ ...next, needs }, observation.records, ports, held);
            // No step rests on what was seen before the one before it.
            observation = await ports.look(lookForEvictions);
        }
        const { toKeep } = openEvictions(observation);
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

/** The next eviction of ours to end, or to forget once PD has let go of it; others stay on record, and are looked at again. */
function nextEnd(observation: Observation): Omit<StepAction, "needs"> | undefined {
    const [action] = openEvictions(observation).toEnd;
    if (action) {
        return { action, step: "eviction-ended", target: action.pod };
    }
    const [id, record] =
        Object.entries(observation.records.evictions).find(
            ([storeId, one]) =>
                one.endedAt !== undefined && endedEviction(observation, Number(storeId), one) === "gone",
        ) ?? [];
    return (
        record && {
            action: { do: "forget-eviction", storeId: Number(id) },
            step: "eviction-forgotten",
            target: record.pod,
        }
    );
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
