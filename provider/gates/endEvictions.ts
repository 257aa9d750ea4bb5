import { endedEviction } from "../lifecycle/stages/evictionRecord";
import { openEvictions } from "../lifecycle/walks/openEvictions";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { GatePorts, HeldLock } from "../cluster/gatePorts";
import { retryTransient } from "./retry";
import { needsOf, type StepAction, takeAction } from "./takeAction";

/** What must be observed to end this package's leader evictions. */
export const lookForEvictions: LookOptions = {
    components: ["tikv"],
    pd: ["leadership", "stores", "tombstones", "evicted-stores", "persisted-evictions", "cluster-id"],
    status: [],
};

/** For how long a failing run retries a transient error here, so that it leaves no leaders away for a lock that expired. */
const retryForMilliseconds = 10_000;

/**
 * Ends this package's leader evictions before a failed or stopped run ends. The eviction of an unhealthy store stays on
 * record; the next run ends it once the store is Up. Never throws: the user must see why the run itself ended.
 */
export async function endEvictions(why: string, ports: GatePorts, lock: HeldLock | undefined): Promise<void> {
    let own: HeldLock | undefined;
    const observing = retryTransient(ports, false, retryForMilliseconds);
    const acting = retryTransient(ports, false, retryForMilliseconds);
    try {
        for (;;) {
            // No step relies on an observation made before the previous step.
            const observation = await observing(() => ports.look(lookForEvictions));
            if (!observation) {
                continue;
            }
            const next = nextEnd(observation);
            if (!next) {
                warnOfOpenEvictions(observation, ports);
                return;
            }
            await acting(async () => {
                const held: HeldLock = lock ?? (own ??= await lockOnce(why, ports));
                await takeAction({ ...next, needs: needsOf(observation, next) }, observation.records, ports, held);
            });
        }
    } catch (error) {
        ports.progress.warn(
            `leaders may still be evicted from a store; the next \`pulumi up\` ends the eviction: ${(error as Error).message}`,
        );
    } finally {
        await releaseLock(own, ports);
    }
}

function warnOfOpenEvictions(observation: Observation, ports: GatePorts): void {
    for (const { pod, why } of openEvictions(observation).toKeep) {
        ports.progress.warn(`leaders are still evicted from ${pod} (${why}): the next \`pulumi up\` ends the eviction`);
    }
}

/** @returns the next eviction to end, or to forget once PD has dropped it. Others stay on record until the next observation. */
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
        throw new Error(taken ? `${taken.heldBy} holds the lock (${taken.operation})` : "the cluster's Lease is gone");
    }
    return taken.lock;
}

/** Releases the lock. A failure is only a warning, because the lock expires by itself and the first error matters more. */
export async function releaseLock(lock: HeldLock | undefined, ports: GatePorts): Promise<void> {
    try {
        await lock?.release();
    } catch (error) {
        ports.progress.warn(
            `could not release the lock; it expires by itself in a few seconds: ${(error as Error).message}`,
        );
    }
}
