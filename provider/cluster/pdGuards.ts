import type { StepNeeds } from "../lifecycle/vocabulary/lock";
import { StaleDecision } from "./staleDecision";
import type { MaintenanceTask } from "./maintenanceTask";
import type { PdLock } from "./pdLock";

const again = "Nothing more is done; run `pulumi up` again when that has ended";

/** What keeps others away from a PD, whatever Lease they have: the lock in its etcd, and its maintenance task. */
export class PdGuards {
    constructor(
        private readonly lock: Pick<PdLock, "take" | "confirm" | "assertFresh" | "keepAlive" | "release">,
        private readonly maintenance: Pick<MaintenanceTask, "begin" | "end">,
    ) {}

    /**
     * Takes both, as far as PD can be asked: one that is silent, or cannot be locked, is told at each step that needs it.
     * @returns who has one of them, and what they do; `undefined` where nobody else has.
     */
    async take(operation: string): Promise<{ heldBy: string; operation: string } | undefined> {
        const answer = await this.lock.take(operation);
        if (answer.is === "other") {
            return { heldBy: answer.who, operation: answer.what };
        }
        const task = answer.is === "unreachable" ? undefined : await this.maintenance.begin(operation);
        return task && { heldBy: nameOf(task), operation: task.description };
    }

    /**
     * Makes sure that a step may be taken that was decided with PD's word.
     * @throws StaleDecision where PD cannot be locked now, or somebody else has it; Error where it can never be locked
     */
    async confirm(operation: string, { isAlone }: Pick<StepNeeds, "isAlone">): Promise<void> {
        const answer = await this.lock.confirm(operation);
        if (answer.is === "other") {
            // Perhaps somebody who was killed, whose lock ends by itself.
            throw new StaleDecision(`PD is operated by ${answer.who}: ${answer.what}. ${again}`);
        }
        if (answer.is === "unreachable") {
            throw new StaleDecision(`PD cannot be locked, so that nothing is done on its word: ${answer.why}`);
        }
        if (answer.is === "unsupported" && !isAlone) {
            throw new Error(
                `PD cannot be locked against the other clusters whose stores or members it lists: ${answer.why}. Nothing is done; set enable-grpc-gateway to true in PD's configuration`,
            );
        }
        const task = await this.maintenance.begin(operation);
        if (task) {
            throw new Error(`PD's maintenance lock is held by ${nameOf(task)} (${task.description}). ${again}`);
        }
    }

    /** For right before a request is sent. @throws StaleDecision where the lock of PD may have ended. */
    assertFresh(): void {
        this.lock.assertFresh();
    }

    /** Keeps the lock alive. Never throws. */
    keepAlive(): void {
        void this.lock.keepAlive();
    }

    /**
     * Gives both back, the task first: it does not end by itself.
     * @param isOurs whether the cluster's own lock is held still; else the task is its successor's.
     */
    async release(isOurs: boolean): Promise<void> {
        if (!isOurs) {
            return this.lock.release();
        }
        await this.maintenance.end().finally(() => this.lock.release());
    }
}

function nameOf({ type, id }: { type: string; id: string }): string {
    return `PD's maintenance task ${type}/${id}`;
}
