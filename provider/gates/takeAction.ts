import { type Action, describeAction, isBookkeeping } from "../lifecycle/move";
import type { OperationRecords } from "../lifecycle/observation";
import { recordsAfter, recordsBefore } from "../lifecycle/records";
import { GateError } from "./gateError";
import type { GatePorts, HeldLock } from "./ports";

/** An action on its way: which step takes it, on what. */
export interface StepAction {
    action: Action;
    step: string;
    target: string;
}

/**
 * Takes one action, and keeps on record, before and after it, what must not be forgotten.
 * @returns the records as they are then.
 * @throws GateError where the action is refused or unanswered; Error where the lock is lost.
 */
export async function takeAction(
    { action, step, target }: StepAction,
    records: OperationRecords,
    ports: GatePorts,
    lock: HeldLock,
): Promise<OperationRecords> {
    await lock.confirmHeld();
    ports.progress[isBookkeeping(action) ? "status" : "info"](describeAction(action));
    try {
        const before = recordsBefore(records, action, ports.now());
        if (before !== records) {
            await lock.keepRecords(before);
        }
        await ports.perform(action);
        const after = recordsAfter(before, action, ports.now());
        if (after !== before) {
            await lock.keepRecords(after);
        }
        return after;
    } catch (error) {
        const seen = `could not ${describeAction(action)}: ${(error as Error).message}`;
        const next = "run `pulumi up` again: it goes on from what it finds";
        throw new GateError({ step, target, seen, next }, { cause: error });
    }
}
