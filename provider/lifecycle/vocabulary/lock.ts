/** A cluster's Lease, as far as the lock is concerned. Times are milliseconds since 1970. */
export interface ObservedLock {
    holder?: string;
    renewedAt?: number;
    durationSeconds?: number;
    /** What its holder does, in words. */
    operation?: string;
}

/** How long a lock outlives the last sign of life of its holder: how long a run that was killed keeps the next one waiting. */
export const lockDurationSeconds = 15;
/** How often its holder gives one. */
export const renewEveryMilliseconds = 3_000;
/**
 * For how long after the start of its last renewal a holder acts: what it sends then is settled (a call takes 8 s at
 * most) before anybody else may take the lock over.
 */
export const actWithinMilliseconds = 5_000;

/** What a step was decided with: which locks it needs. */
export interface StepNeeds {
    /** Whether what PD says was a reason for it. Then PD itself must be locked. */
    pdsWord: boolean;
    /** Whether PD lists stores and members of this cluster alone. Then a PD that cannot be locked needs no lock. */
    isAlone: boolean;
}

/** A lock as somebody else's run has watched it. */
export interface LockWatch {
    /** Its last sign of life, in no unit: it is only compared. */
    sign: string;
    /** Since when that has been the last one, by the watching run's own clock. */
    since: number;
}

/**
 * @returns the watch after one more look. What the holder's clock says is never compared with one's own: two machines
 * that disagree on the time must not both think that they hold the lock (client-go's leader election does likewise).
 */
export function watchLock(lock: ObservedLock, watch: LockWatch | undefined, now: number): LockWatch {
    const sign = JSON.stringify([lock.holder, lock.renewedAt]);
    return watch?.sign === sign ? watch : { sign, since: now };
}

export type LockState = { free: true } | { free: false; holder: string; operation: string; expiresAt: number };

/** @returns whether `holder` may take the lock now. One that was watched for its duration without a sign of life is nobody's. */
export function lockState(lock: ObservedLock, holder: string, watch: LockWatch, now: number): LockState {
    const expiresAt = watch.since + (lock.durationSeconds ?? lockDurationSeconds) * 1000;
    if (!lock.holder || lock.holder === holder || now >= expiresAt) {
        return { free: true };
    }
    return { free: false, holder: lock.holder, operation: lock.operation ?? "an operation", expiresAt };
}
