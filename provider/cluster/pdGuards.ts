import type { StepNeeds } from "../lifecycle/vocabulary/lock";
import { StaleDecision } from "./staleDecision";
import type { MaintenanceTask } from "./maintenanceTask";
import type { PdLock } from "./pdLock";

const again = "Nothing more is done; run `pulumi up` again once that has ended";

/** Keeps other runs away from a PD, whatever Lease they hold: by the lock in its etcd and its maintenance task. */
export class PdGuards {
    constructor(
        private readonly lock: Pick<PdLock, "take" | "confirm" | "assertFresh" | "keepAlive" | "release" | "forget">,
        private readonly maintenance: Pick<MaintenanceTask, "begin" | "end">,
    ) {}

    /**
     * Takes both, if PD can be asked. If PD is unreachable or cannot be locked, each step that needs it reports that.
     * @param assertAllowed throws if the Lease may be lost. Called in the last moment before PD is changed.
     * @returns who holds one of them and what they do; `undefined` if nobody else does.
     */
    async take(
        operation: string,
        assertAllowed: () => void,
    ): Promise<{ heldBy: string; operation: string } | undefined> {
        const answer = await this.lock.take(operation);
        if (answer.is === "other") {
            return { heldBy: answer.who, operation: answer.what };
        }
        const task = answer.is === "unreachable" ? undefined : await this.maintenance.begin(operation, assertAllowed);
        return task && { heldBy: nameOf(task), operation: task.description };
    }

    /**
     * Checks that a step that was decided from PD's answers may be taken.
     * @throws StaleDecision if PD cannot be locked now, or another run holds its lock; Error if it can never be locked
     */
    async confirm(
        operation: string,
        { isAlone }: Pick<StepNeeds, "isAlone">,
        assertAllowed: () => void,
    ): Promise<void> {
        const answer = await this.lock.confirm(operation);
        if (answer.is === "other") {
            // Perhaps a run that was killed: its lock expires by itself.
            throw new StaleDecision(`PD is locked by ${answer.who}: ${answer.what}. ${again}`);
        }
        if (answer.is === "unreachable") {
            throw new StaleDecision(
                `PD cannot be locked, so no step that relies on PD's answer is taken: ${answer.why}`,
            );
        }
        if (answer.is === "unsupported" && !isAlone) {
            throw new Error(
                `PD cannot be locked against the other clusters whose stores or members it lists: ${answer.why}. Nothing is done; set enable-grpc-gateway to true in PD's configuration`,
            );
        }
        const task = await this.maintenance.begin(operation, assertAllowed);
        if (task) {
            throw new Error(`PD's maintenance lock is held by ${nameOf(task)} (${task.description}). ${again}`);
        }
    }

    /** Checks right before a request is sent. @throws StaleDecision if PD's lock may have expired. */
    assertFresh(): void {
        this.lock.assertFresh();
    }

    /** Keeps the lock alive. Never throws. */
    keepAlive(): void {
        void this.lock.keepAlive();
    }

    /**
     * Releases both, the task first, because it does not expire.
     * @param isOurs whether this run still holds the cluster's own lock; otherwise the task belongs to its successor.
     * @param assertAllowed as for `take`.
     */
    async release(isOurs: boolean, assertAllowed: () => void): Promise<void> {
        if (!isOurs) {
            return this.lock.release();
        }
        await this.maintenance.end(assertAllowed).finally(() => this.lock.release());
    }

    /** Ends the task, which is in PD's data and never expires, before this run ends PD. */
    endMaintenance(assertAllowed: () => void): Promise<void> {
        return this.maintenance.end(assertAllowed);
    }

    /** Forgets the lock without asking PD, because this run has ended PD. */
    forget(): void {
        this.lock.forget();
    }
}

function nameOf({ type, id }: { type: string; id: string }): string {
    return `PD's maintenance task ${type}/${id}`;
}
