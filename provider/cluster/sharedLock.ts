import type { HeldLock, LockAnswer } from "./ports";
import { type LockState, lockState, type LockWatch, type StepNeeds, watchLock } from "../lifecycle/vocabulary/lock";
import { steadyNow, sleepAwareClock } from "./clock";
import { ClusterLock } from "./clusterLock";
import type { KubernetesApi } from "./kubernetesApi";
import { noteMembers, noteOwner, notePd } from "./lease";
import type { LeaseView } from "./leaseView";
import type { PdGuards } from "./pdGuards";
import type { ClusterId } from "./clusterId";

/** How long to leave a lock alone that somebody took between one's look and one's own try. */
const takenMeanwhileMilliseconds = 1_000;

/** A gate's part in the lock, with what is asked right before each request that changes something. */
export interface GuardedLock extends HeldLock {
    /** What it was last confirmed for; before that, for the step that needs most. */
    readonly needs: StepNeeds;
    /** @throws StaleDecision where the lock was not renewed a moment ago; Error where it is lost. */
    assertFresh(): void;
    notePd(clusterId: string): Promise<void>;
}

/** The locks of a cluster, shared by the gates of one process: they are parts of one operation. */
export class SharedLock {
    private lock: { held: ClusterLock; users: number } | undefined;
    private turn: Promise<unknown> = Promise.resolve();
    private lastWatch: LockWatch | undefined;

    /**
     * @param now by which others are watched: time that the machine slept nobody was watched in.
     * @param sleepAwareNow by which what is held is young: a clock in which that time counts.
     */
    constructor(
        private readonly api: Pick<KubernetesApi, "readLease" | "patchLease">,
        private readonly id: Pick<ClusterId, "namespace" | "cluster">,
        private readonly pd: PdGuards,
        private readonly holder: string,
        private readonly now: () => number = steadyNow,
        private readonly sleepAwareNow: () => number = sleepAwareClock(),
    ) {}

    /** @returns who else operates the cluster, in words; `undefined` where nobody does. */
    operatedBy(lease: LeaseView): string | undefined {
        const state = this.watch(lease);
        return state.free ? undefined : `${state.holder} operates the cluster: ${state.operation}`;
    }

    /** Takes the locks, or takes part in them where this process has them, or says who has one. */
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
        const alongside = () => this.pd.keepAlive();
        const held = new ClusterLock(this.api, namespace, cluster, this.holder, this.sleepAwareNow, alongside);
        if (!(await held.take(lease, operation))) {
            const expiresAt = this.now() + takenMeanwhileMilliseconds;
            return { heldBy: "another run", operation: "took the lock at the same moment", expiresAt };
        }
        try {
            const other = await this.pd.take(operation);
            if (other) {
                await this.releaseAll(held);
                return other;
            }
        } catch (error) {
            const first = error as Error;
            await this.releaseAll(held).catch((second: Error) => {
                throw new Error(`${first.message} (and the lock was not given back: ${second.message})`, {
                    cause: first,
                });
            });
            throw error;
        }
        this.lock = { held, users: 0 };
        return undefined;
    }

    /** Each gate has a part of its own in the lock; the last one gives it back. */
    private join(operation: string): GuardedLock {
        const lock = this.lock!;
        lock.users += 1;
        let needs: StepNeeds = { pdsWord: true, isAlone: false };
        let isReleased = false;
        return {
            get needs() {
                return needs;
            },
            confirmHeld: async (asked) => {
                needs = asked;
                // First, so that a run that has lost it leaves PD's to its successor.
                await lock.held.confirmHeld();
                if (needs.pdsWord) {
                    await this.pd.confirm(operation, needs);
                    // Once more, as it must be the youngest of all: PD can take seconds to answer.
                    await lock.held.confirmHeld();
                }
            },
            assertFresh: () => {
                if (isReleased) {
                    throw new Error(`the lock of ${this.id.namespace}/${this.id.cluster} was given back already`);
                }
                lock.held.assertFresh();
                if (needs.pdsWord) {
                    this.pd.assertFresh();
                }
            },
            describe: (text) => lock.held.describe(text),
            keepRecords: (records) => lock.held.keepRecords(records),
            notePd: (clusterId) => notePd(lock.held, clusterId),
            noteOwner: (owner) => noteOwner(lock.held, owner),
            noteMembers: (members) => noteMembers(lock.held, members),
            release: () =>
                this.serialized(async () => {
                    if (isReleased) {
                        return;
                    }
                    isReleased = true;
                    lock.users -= 1;
                    if (lock.users === 0) {
                        this.lock = undefined;
                        await this.releaseAll(lock.held);
                    }
                }),
        };
    }

    /**
     * PD's part first: not all of it ends by itself. The Lease is given back in any case. A run that has lost its lock leaves
     * PD's maintenance task to its successor, which has taken it up: it has the same id.
     */
    private async releaseAll(held: ClusterLock): Promise<void> {
        const isOurs = await held.confirmHeld().then(
            () => true,
            () => false,
        );
        await this.pd.release(isOurs).finally(() => held.release());
    }

    private watch({ lock }: LeaseView): LockState {
        this.lastWatch = watchLock(lock, this.lastWatch, this.now());
        return lockState(lock, this.holder, this.lastWatch, this.now());
    }

    /** Taking and releasing wait for one another: they write under one name, so that the Lease could not tell them apart. */
    private serialized<T>(work: () => Promise<T>): Promise<T> {
        const next = this.turn.then(work);
        this.turn = next.catch(() => undefined);
        return next;
    }
}
