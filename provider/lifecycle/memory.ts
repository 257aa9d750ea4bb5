import { type Action, actionKey, type Move } from "./move";

/** What the loop of one run remembers between two decisions. Lost with the process, and nothing depends on it but patience. */
export interface Memory {
    /** Step and target → since when it is waited for, and when that was last so. */
    waits: Readonly<Record<string, { since: number; seenAt: number }>>;
    /** Key of an action → when it was last taken. */
    actedAt: Readonly<Record<string, number>>;
}

export const emptyMemory: Memory = { waits: {}, actedAt: {} };

/**
 * A condition that was not waited for during this time, in milliseconds, has held in between: waiting for it again is
 * a new wait with all of its patience. Longer than the slowest look, so that a condition that flaps is one wait.
 */
const NEW_WAIT_AFTER_MILLISECONDS = 60_000;
/** An action whose effect is not seen is taken again after this long. */
const REPEAT_ACTION_AFTER_MILLISECONDS = 5_000;

/** @returns since when the step has been waited for; `now` where this is a new wait. */
export function waitingSince(memory: Memory, step: string, target: string, now: number): number {
    const wait = memory.waits[waitKey(step, target)];
    return wait && now - wait.seenAt < NEW_WAIT_AFTER_MILLISECONDS ? wait.since : now;
}

/** @returns whether the action may be taken: it was not, or its effect should be seen by now. */
export function mayAct(memory: Memory, action: Action, now: number): boolean {
    return now - (memory.actedAt[actionKey(action)] ?? -Infinity) >= REPEAT_ACTION_AFTER_MILLISECONDS;
}

/** @returns the memory with a step that does not hold yet; acting towards it is waiting for it too. */
export function rememberWait(memory: Memory, move: Extract<Move, { kind: "act" | "wait" }>, now: number): Memory {
    const wait = { since: waitingSince(memory, move.step, move.target, now), seenAt: now };
    return { ...memory, waits: { ...memory.waits, [waitKey(move.step, move.target)]: wait } };
}

/** @returns the memory with an action that was taken. */
export function rememberAction(memory: Memory, action: Action, now: number): Memory {
    return { ...memory, actedAt: { ...memory.actedAt, [actionKey(action)]: now } };
}

function waitKey(step: string, target: string): string {
    return `${step} ${target}`;
}
