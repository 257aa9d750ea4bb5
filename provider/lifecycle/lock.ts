/** A cluster's Lease, as far as the lock is concerned. Times are milliseconds since 1970. */
export interface ObservedLock {
    holder?: string;
    renewedAt?: number;
    durationSeconds?: number;
    /** What its holder does, in words. */
    operation?: string;
    /** Who asked the running operation to end at the next safe point, and when. */
    stopRequest?: string;
}

/** How long a lock outlives its last renewal: how long a run that was killed keeps the next one waiting. */
export const LOCK_DURATION_SECONDS = 15;
/** How often its holder renews it. */
export const RENEW_EVERY_MILLISECONDS = 4_000;

export type LockState = { free: true } | { free: false; holder: string; operation: string; expiresAt: number };

/** @returns whether `holder` may take the lock now. A lock that was not renewed in time is nobody's. */
export function lockState(lock: ObservedLock, holder: string, now: number): LockState {
    const expiresAt = (lock.renewedAt ?? 0) + (lock.durationSeconds ?? LOCK_DURATION_SECONDS) * 1000;
    if (!lock.holder || lock.holder === holder || now >= expiresAt) {
        return { free: true };
    }
    return { free: false, holder: lock.holder, operation: lock.operation ?? "an operation", expiresAt };
}
