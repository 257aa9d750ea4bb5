/** The lock fields of a cluster's Lease. Times are milliseconds since 1970. */
export interface ObservedLock {
    holder?: string;
    /** When the holder took it, by the holder's clock. For people only; no decision uses it. */
    acquiredAt?: number;
    renewedAt?: number;
    durationSeconds?: number;
    /** What the lock holder is doing, for messages. */
    operation?: string;
}

/** What a process is that operates a cluster and carries out no program. The name of a holder begins with it. */
const otherRoles = ["controller", "sweep"] as const;
export type OtherRole = (typeof otherRoles)[number];

/** @returns whether the holder of a lock is a run of a program, by its name as `lockHolder` makes it. */
export function isUpdate(holder: string): boolean {
    return !otherRoles.some((role) => holder.startsWith(`${role} `));
}

/** How long a lock stays valid after its last renewal, so also how long a killed run blocks the next one. */
export const lockDurationSeconds = 15;
/** How often the holder renews the lock. */
export const renewEveryMilliseconds = 3_000;
/**
 * How long a holder may act after the start of its last renewal. A call takes at most 8 s, so everything it sends has
 * finished before anyone else can take over the lock.
 */
export const actWithinMilliseconds = 5_000;

/** @returns whether the holder has not renewed the lock in time, so it may be dead. Only for people: the clocks may differ. */
export function isOverdue({ renewedAt, durationSeconds = lockDurationSeconds }: ObservedLock, now: number): boolean {
    return renewedAt === undefined || now - renewedAt > durationSeconds * 1000;
}

/** The evidence that a step was decided from, which determines the locks it needs. */
export interface StepNeeds {
    /** Whether the decision used PD's answers. If so, PD itself must be locked. */
    usesPd: boolean;
    /** Whether PD lists only stores and members of this cluster. If so, a PD that cannot be locked needs no lock. */
    isAlone: boolean;
}

/** A lock as watched by a run that does not hold it. */
export interface LockWatch {
    /** Identifies the last renewal. It is only compared for equality. */
    sign: string;
    /** When this run first saw that renewal, by its own clock. */
    since: number;
}

/**
 * @returns the watch after another read of the lock. The holder's clock is never compared with this run's clock: two
 * machines that disagree on the time must not both believe that they hold the lock (client-go's leader election works
 * the same way).
 */
export function watchLock(lock: ObservedLock, watch: LockWatch | undefined, now: number): LockWatch {
    const sign = JSON.stringify([lock.holder, lock.renewedAt]);
    return watch?.sign === sign ? watch : { sign, since: now };
}

export type LockState = { free: true } | { free: false; holder: string; operation: string; expiresAt: number };

/** @returns whether `holder` may take the lock now. A lock that was not renewed for its whole duration has expired. */
export function lockState(lock: ObservedLock, holder: string, watch: LockWatch, now: number): LockState {
    const expiresAt = watch.since + (lock.durationSeconds ?? lockDurationSeconds) * 1000;
    if (!lock.holder || lock.holder === holder || now >= expiresAt) {
        return { free: true };
    }
    return { free: false, holder: lock.holder, operation: lock.operation ?? "an operation", expiresAt };
}
