import { endedEviction } from "../lifecycle/stages/evictionRecord";
import { putBackOf } from "../lifecycle/stages/leaderLimits";
import { type OpenEvictions, openEvictions } from "../lifecycle/walks/openEvictions";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { GatePorts, HeldLock } from "../cluster/gatePorts";
import { isTransient } from "./retry";
import type { OperationRecord } from "./operationRecord";
import { needsOf, refusedWithoutHarm, type StepAction, takeAction } from "./takeAction";

/** What must be observed to end this package's leader evictions, and to put back the limits that were raised for them. */
export const lookForEvictions: LookOptions = {
    components: ["tikv"],
    pd: ["leadership", "stores", "tombstones", "evicted-stores", "persisted-evictions", "leader-limits", "cluster-id"],
    status: [],
};

/**
 * For how long a failing run retries here. PD elects a leader and an expired lock is taken again within seconds; the user
 * should not wait much longer than that for the error.
 */
const retryForMilliseconds = 10_000;
const pauseMilliseconds = 1_000;

/** What is said of evictions that cannot be ended now. */
export interface LeftEvictions {
    readonly warn: GatePorts["progress"]["warn"];
    /** Who ends them. */
    readonly next: string;
}

/**
 * Ends this package's leader evictions before a failed or stopped run ends, or while a person is waited for, and puts back PD's
 * limits that were raised for them. The eviction of an unhealthy store stays on record until the store is Up. Never throws: the user must see why the run itself ended.
 * @param next who ends it if this fails.
 * @returns whether none is left.
 */
export async function endEvictions(
    why: string,
    ports: GatePorts,
    lock: HeldLock | undefined,
    record?: Pick<OperationRecord, "looked" | "acted">,
    { warn, next }: LeftEvictions = { warn: ports.progress.warn, next: "the next `pulumi up` ends the eviction" },
): Promise<boolean> {
    let own: HeldLock | undefined;
    const heldLock = async () => lock ?? (own ??= await lockOnce(why, ports));
    // One deadline for all of it, however slowly each answer comes.
    const until = ports.now() + retryForMilliseconds;
    try {
        for (;;) {
            try {
                const left = await endNext(ports, heldLock, until, record);
                if (left !== undefined) {
                    left.evictions.forEach(({ pod, why: trouble }) =>
                        warn({
                            code: "eviction-left",
                            message: `leaders are still evicted from ${pod} (${trouble}): ${next}`,
                        }),
                    );
                    if (left.limits !== undefined) {
                        const message = `PD's limits of moving leaders are still raised (${left.limits}): ${putBackLater}`;
                        warn({ code: "limits-left-raised", message });
                    }
                    return left.evictions.length === 0 && left.limits === undefined;
                }
            } catch (error) {
                if (!isTransient(error) || ports.now() >= until) {
                    throw error;
                }
                await ports.sleep(pauseMilliseconds);
            }
        }
    } catch (error) {
        const message = `leaders may still be evicted from a store; ${next}: ${(error as Error).message}`;
        warn({ code: "eviction-left", message });
        return false;
    } finally {
        await releaseLock(own, ports);
    }
}

/**
 * Observes, and takes the next action. No step relies on an earlier observation.
 * @returns what cannot be ended now; undefined if there may be more to do.
 */
async function endNext(
    ports: GatePorts,
    heldLock: () => Promise<HeldLock>,
    until: number,
    record?: Pick<OperationRecord, "looked" | "acted">,
): Promise<StillLeft | undefined> {
    const observation = await ports.look(lookForEvictions);
    record?.looked(observation);
    const next = nextEnd(observation);
    const { toKeep } = openEvictions(observation);
    if (next) {
        const needs = needsOf(observation, next);
        try {
            await takeAction({ ...next, needs }, observation.records, ports, await heldLock());
        } catch (error) {
            const limits = refusedWithoutHarm(next.action, error);
            if (limits !== undefined) {
                return { evictions: toKeep, limits };
            }
            throw error;
        }
        record?.acted(next);
        return undefined;
    }
    const { records, pd } = observation;
    const isRaised = records.raisedLimits !== undefined;
    if ((toKeep.length > 0 || isRaised) && mayBecomeKnown(observation) && ports.now() < until) {
        await ports.sleep(pauseMilliseconds);
        return undefined;
    }
    return { evictions: toKeep, ...(isRaised ? { limits: pd.leaderLimits.known ? "" : pd.leaderLimits.why } : {}) };
}

/** What cannot be ended now. `limits`: why raised limits cannot be put back. Default: none are raised. */
interface StillLeft {
    readonly evictions: OpenEvictions["toKeep"];
    readonly limits?: string;
}

const putBackLater = "the next `pulumi up` puts back what was there before";

/** Whether PD did not answer, or not fully, and may do so a moment later: it elects a leader, or loads its schedulers. */
function mayBecomeKnown({ pd, pdTrouble, records: { raisedLimits } }: Observation): boolean {
    const limits = raisedLimits === undefined || pd.leaderLimits.known;
    const isKnown = pd.stores.known && pd.evictedStores.known && pd.leadership.known && limits;
    return !isKnown && !pdTrouble?.isFinal;
}

/**
 * @returns the next eviction to end, or to forget once PD has dropped it, and then the limits to put back. Others stay on record
 * until the next observation.
 */
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
    if (record) {
        const action = { do: "forget-eviction", storeId: Number(id) } as const;
        return { action, step: "eviction-forgotten", target: record.pod };
    }
    const putBack = putBackOf(observation);
    return putBack && { action: putBack, step: "limits-put-back", target: observation.cluster };
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
        const message = `could not release the lock; it expires by itself in a few seconds: ${(error as Error).message}`;
        ports.progress.warn({ code: "lock-not-released", message });
    }
}
