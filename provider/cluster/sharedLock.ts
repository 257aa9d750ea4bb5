import type { HeldLock, LockAnswer } from "../gates/ports";
import { type LockState, lockState, type LockWatch, watchLock } from "../lifecycle/lock";
import type { ClusterId, KubernetesApi } from "./kubernetesApi";
import { ClusterLock, type LeaseView } from "./lease";
import { lockHolder } from "./lockHolder";
import type { MaintenanceTask } from "./maintenanceTask";

/** How long to leave a lock alone that somebody took between one's look and one's own try. */
const TAKEN_MEANWHILE_MILLISECONDS = 1_000;
/** How long to leave PD alone while it has another's maintenance task, which says nothing of its end. */
const MAINTENANCE_MILLISECONDS = 5_000;

/** The lock of a cluster, shared by the gates of one process: they are parts of one operation. */
export class SharedLock {
    private lock: { held: ClusterLock; users: number } | undefined;
    private turn: Promise<unknown> = Promise.resolve();
    private lastWatch: LockWatch | undefined;

    constructor(
        private readonly api: KubernetesApi,
        private readonly id: ClusterId,
        private readonly maintenance: MaintenanceTask,
        private readonly holder = lockHolder(),
        private readonly now: () => number = Date.now,
    ) {}

    /** @returns who else operates the cluster, in words; `undefined` where nobody does. */
    operatedBy(lease: LeaseView): string | undefined {
        const state = this.watch(lease);
        return state.free ? undefined : `${state.holder} operates the cluster: ${state.operation}`;
    }

    /** Takes the lock, or takes part in it where this process has it, or says who has it. */
    tryTake(lease: LeaseView, operation: string): Promise<LockAnswer> {
        return this.inTurn(async () => {
            const other = this.lock ? undefined : await this.takeFirst(lease, operation);
            return other ?? { lock: this.join(operation) };
        });
    }

    private async takeFirst(lease: LeaseView, operation: string): Promise<LockAnswer | undefined> {
        const state = this.watch(lease);
        if (!state.free) {
            return { heldBy: state.holder, operation: state.operation, expiresAt: state.expiresAt };
        }
        const held = new ClusterLock(this.api, this.id.namespace, this.id.cluster, this.holder, this.now);
        if (!(await held.take(lease, operation))) {
            const expiresAt = this.now() + TAKEN_MEANWHILE_MILLISECONDS;
            return { heldBy: "another run", operation: "took the lock at the same moment", expiresAt };
        }
        try {
            const task = await this.maintenance.begin(operation);
            if (task) {
                await held.release();
                const expiresAt = this.now() + MAINTENANCE_MILLISECONDS;
                return { heldBy: nameOf(task), operation: task.description, expiresAt };
            }
        } catch (error) {
            await held.release();
            throw error;
        }
        this.lock = { held, users: 0 };
        return undefined;
    }

    /** Each gate has a part of its own in the lock; the last one gives it back. */
    private join(operation: string): HeldLock {
        const lock = this.lock!;
        lock.users += 1;
        return {
            confirmHeld: async () => {
                await lock.held.confirmHeld();
                const task = await this.maintenance.begin(operation);
                if (task) {
                    throw new Error(
                        `PD's maintenance lock is held by ${nameOf(task)} (${task.description}). Nothing more is done; run \`pulumi up\` again when that task has ended`,
                    );
                }
            },
            describe: (text) => lock.held.describe(text),
            keepRecords: (records) => lock.held.keepRecords(records),
            release: () =>
                this.inTurn(async () => {
                    lock.users -= 1;
                    if (lock.users === 0) {
                        this.lock = undefined;
                        // PD's part first: it does not end by itself. The Lease is given back in any case.
                        await this.maintenance.end().finally(() => lock.held.release());
                    }
                }),
        };
    }

    private watch({ lock }: LeaseView): LockState {
        this.lastWatch = watchLock(lock, this.lastWatch, this.now());
        return lockState(lock, this.holder, this.lastWatch, this.now());
    }

    /** Taking and releasing wait for one another: they write under one name, so that the Lease could not tell them apart. */
    private inTurn<T>(work: () => Promise<T>): Promise<T> {
        const next = this.turn.then(work);
        this.turn = next.catch(() => undefined);
        return next;
    }
}

function nameOf({ type, id }: { type: string; id: string }): string {
    return `PD's maintenance task ${type}/${id}`;
}
