import type { HeldLock, LockAnswer } from "./gatePorts";
import { type LockState, lockState, type LockWatch, type StepNeeds, watchLock } from "../lifecycle/vocabulary/lock";
import { beginWith, requestedBy, type StopRequests } from "../lifecycle/vocabulary/stopRequest";
import { steadyNow, sleepAwareClock } from "./clock";
import { ClusterLock } from "./clusterLock";
import type { KubernetesApi } from "./kubernetesApi";
import { noteMembers, noteOwner, notePd, takeConsent } from "./leaseNotes";
import type { LeaseView } from "./leaseView";
import type { PdGuards } from "./pdGuards";
import type { ClusterId } from "./clusterId";

/** How long to pause when another run took the lock between this run's observation and its own attempt. */
const takenMeanwhileMilliseconds = 1_000;

/** One gate's share of the lock, with the check to make right before each request that changes something. */
export interface GuardedLock extends HeldLock {
    /** What it was last confirmed for; before the first time, the needs of the most demanding step. */
    readonly needs: StepNeeds;
    /** @throws StaleDecision if the lock was not renewed a moment ago; Error if it is lost. */
    assertFresh(): void;
    notePd(clusterId: string): Promise<void>;
    /**
     * Ends PD's maintenance task, which never expires, before the holder ends PD.
     * @throws Error if PD cannot be asked; the error of `assertAllowed` if that keeps the request from being sent
     */
    endMaintenance(assertAllowed: () => void): Promise<void>;
    /** Notes that the holder has ended PD: its lock cannot be released any more, and nobody is warned of that. */
    noteEndOfPd(): void;
}

/** The locks of a cluster, shared by the gates of one process: all of them are parts of one operation. */
export class SharedLock {
    private lock: { held: ClusterLock; users: number; endedPd: boolean } | undefined;
    private turn: Promise<unknown> = Promise.resolve();
    private lastWatch: LockWatch | undefined;
    private stops: StopRequests = {};

    /**
     * @param now the clock for watching other holders. It leaves out sleep: nobody was watched during it.
     * @param sleepAwareNow the clock for the age of this run's own locks. It counts sleep.
     */
    constructor(
        private readonly api: Pick<KubernetesApi, "readLease" | "patchLease">,
        private readonly id: Pick<ClusterId, "namespace" | "cluster">,
        private readonly pd: PdGuards,
        private readonly holder: string,
        private readonly now: () => number = steadyNow,
        private readonly sleepAwareNow: () => number = sleepAwareClock(),
    ) {}

    /** @returns which other run operates the cluster, in words; `undefined` if none does. */
    operatedBy(lease: LeaseView): string | undefined {
        const state = this.watch(lease);
        return state.free ? undefined : `${state.holder} operates the cluster: ${state.operation}`;
    }

    /** @returns who asked this process to stop. What the first call finds was meant for an earlier run. */
    stopRequest(lease: Pick<LeaseView, "stopRequest"> | undefined): string | undefined {
        this.stops = beginWith(this.stops, lease?.stopRequest);
        return requestedBy(this.stops, lease?.stopRequest, this.holder);
    }

    /** Takes the locks, or shares them if this process already holds them, or returns who holds one. */
    tryTake(
        lease: LeaseView,
        operation: string,
    ): Promise<{ lock: GuardedLock } | Exclude<LockAnswer, { lock: HeldLock }>> {
        return this.serialized(async () => {
            const other = this.lock ? undefined : await this.takeFirst(lease, operation);
            return other ?? { lock: this.join(operation) };
        });
    }

    private async takeFirst(
        lease: LeaseView,
        operation: string,
    ): Promise<Exclude<LockAnswer, { lock: HeldLock }> | undefined> {
        const state = this.watch(lease);
        if (!state.free) {
            return { heldBy: state.holder, operation: state.operation, expiresAt: state.expiresAt };
        }
        const { namespace, cluster } = this.id;
        const onRenew = () => this.pd.keepAlive();
        const held = new ClusterLock(this.api, namespace, cluster, this.holder, this.sleepAwareNow, onRenew);
        if (!(await held.take(lease, operation))) {
            const expiresAt = this.now() + takenMeanwhileMilliseconds;
            return { heldBy: "another run", operation: "took the lock at the same moment", expiresAt };
        }
        try {
            const other = await this.pd.take(operation, () => held.assertFresh());
            if (other) {
                await this.releaseAll(held);
                return other;
            }
        } catch (error) {
            const first = error as Error;
            await this.releaseAll(held).catch((second: Error) => {
                throw new Error(`${first.message} (and the lock could not be released: ${second.message})`, {
                    cause: first,
                });
            });
            throw error;
        }
        this.lock = { held, users: 0, endedPd: false };
        return undefined;
    }

    /** Adds a gate to the users of the lock; the last one releases it. */
    private join(operation: string): GuardedLock {
        const lock = this.lock!;
        lock.users += 1;
        let needs: StepNeeds = { usesPd: true, isAlone: false };
        let isReleased = false;
        return {
            get needs() {
                return needs;
            },
            confirmHeld: async (asked) => {
                needs = asked;
                // First, so a run that has lost it leaves PD's locks to its successor.
                await lock.held.confirmHeld();
                if (needs.usesPd) {
                    await this.pd.confirm(operation, needs, () => lock.held.assertFresh());
                    // Again, because it must be the most recent check: PD can take seconds to answer.
                    await lock.held.confirmHeld();
                }
            },
            assertFresh: () => {
                if (isReleased) {
                    throw new Error(`the lock of ${this.id.namespace}/${this.id.cluster} was already released`);
                }
                lock.held.assertFresh();
                if (needs.usesPd) {
                    this.pd.assertFresh();
                }
            },
            describe: (text) => lock.held.describe(text),
            keepRecords: (records) => lock.held.keepRecords(records),
            notePd: (clusterId) => notePd(lock.held, clusterId),
            endMaintenance: (assertAllowed) => this.pd.endMaintenance(assertAllowed),
            noteEndOfPd: () => (lock.endedPd = true),
            noteOwner: (owner, domain, sqlEndpoint) => noteOwner(lock.held, owner, domain, sqlEndpoint),
            noteMembers: (members) => noteMembers(lock.held, members),
            takeConsent: (...taken) => takeConsent(lock.held, ...taken),
            release: () =>
                this.serialized(async () => {
                    if (isReleased) {
                        return;
                    }
                    isReleased = true;
                    lock.users -= 1;
                    if (lock.users === 0) {
                        this.lock = undefined;
                        await this.releaseAll(lock.held, lock.endedPd);
                    }
                }),
        };
    }

    /**
     * Releases PD's part first, because not all of it expires. The Lease is released in any case. A run that has lost its
     * lock leaves PD's maintenance task to its successor, which has taken it over: it has the same id.
     * @param endedPd whether this run has ended PD, which therefore is not asked.
     */
    private async releaseAll(held: ClusterLock, endedPd = false): Promise<void> {
        if (endedPd) {
            this.pd.forget();
            return held.release();
        }
        const isOurs = await held.confirmHeld().then(
            () => true,
            () => false,
        );
        await this.pd.release(isOurs, () => held.assertFresh()).finally(() => held.release());
    }

    private watch({ lock }: LeaseView): LockState {
        this.lastWatch = watchLock(lock, this.lastWatch, this.now());
        return lockState(lock, this.holder, this.lastWatch, this.now());
    }

    /** Runs takes and releases one at a time: they write under one name, so the Lease could not distinguish them. */
    private serialized<T>(work: () => Promise<T>): Promise<T> {
        const next = this.turn.then(work);
        this.turn = next.catch(() => undefined);
        return next;
    }
}
