import { actionKey, beginsWait } from "./actions";
import type { Action, ActMove, WaitMove } from "./move";

/** What the loop of one run remembers between two decisions. Lost with the process, and nothing depends on it but patience. */
export interface Memory {
    /** Step and target → the wait for it. */
    waits: Readonly<Record<string, Wait>>;
    /** Key of an action → when it was last taken. */
    actedAt: Readonly<Record<string, number>>;
}

/** A condition that is waited for. Times are milliseconds of the run's own clock. */
export interface Wait {
    /** Since when, or since the last progress. */
    since: number;
    /** When it was last waited for. */
    seenAt: number;
    /** The least that was left of it so far. */
    left?: number;
    /** Since when it has been found whenever it was looked at. */
    steadySince?: number;
}

export const emptyMemory: Memory = { waits: {}, actedAt: {} };

/**
 * A condition that was not waited for during this time, in milliseconds, has held in between: waiting for it again is
 * a new wait with all of its patience. Longer than the slowest look, so that a condition that flaps is one wait.
 */
const newWaitAfterMilliseconds = 60_000;
/** A condition that was not looked at during this time may have been lost in between. */
const steadyGapMilliseconds = 15_000;
/** An action whose effect is not seen is taken again after this long. */
const repeatActionAfterMilliseconds = 5_000;

function waitOf(memory: Memory, step: string, target: string, now: number): Wait | undefined {
    const wait = memory.waits[waitKey(step, target)];
    return wait && now - wait.seenAt < newWaitAfterMilliseconds ? wait : undefined;
}

/**
 * @param left what is left of it now, where that can be counted.
 * @returns since when the step has been waited for without progress; `now` where this is a new wait.
 */
export function waitingSince(memory: Memory, step: string, target: string, now: number, left?: number): number {
    const wait = waitOf(memory, step, target, now);
    const progress = left !== undefined && wait?.left !== undefined && left < wait.left;
    return wait && !progress ? wait.since : now;
}

/** @returns since when the step has been found whenever it was looked at; `at`, when it was looked at now, where it was not so before. */
export function steadySince(memory: Memory, step: string, target: string, now: number, at: number): number {
    const wait = memory.waits[waitKey(step, target)];
    return wait?.steadySince !== undefined && now - wait.seenAt < steadyGapMilliseconds ? wait.steadySince : at;
}

/** @returns whether the action may be taken: it was not, or its effect should be seen by now. */
export function mayAct(memory: Memory, action: Action, now: number): boolean {
    return now - (memory.actedAt[actionKey(action)] ?? -Infinity) >= repeatActionAfterMilliseconds;
}

/** @returns the memory with a step that does not hold yet; acting towards it is waiting for it too. */
export function rememberWait(memory: Memory, move: ActMove | WaitMove, now: number): Memory {
    const { target, step: name, waitAs: step = name } = move;
    const left = move.kind === "wait" ? move.left : undefined;
    const before = waitOf(memory, step, target, now)?.left;
    const wait: Wait = {
        since: waitingSince(memory, step, target, now, left),
        seenAt: now,
        left: left === undefined ? before : Math.min(left, before ?? Infinity),
        steadySince:
            move.kind === "wait" && move.steadyAt !== undefined
                ? steadySince(memory, step, target, now, move.steadyAt)
                : undefined,
    };
    const passed = (move.passed ?? []).flatMap((key) => {
        const over = memory.waits[key];
        return over ? [[key, { ...over, seenAt: now }] as const] : [];
    });
    return { ...memory, waits: { ...memory.waits, ...Object.fromEntries(passed), [waitKey(step, target)]: wait } };
}

/** @returns the memory with an action that was taken. What an eviction is waited for begins with it, not before. */
export function rememberAction(memory: Memory, { action, step, target }: ActMove, now: number): Memory {
    const key = waitKey(step, target);
    const others = Object.fromEntries(Object.entries(memory.waits).filter(([other]) => other !== key));
    return {
        waits: beginsWait(action) ? others : memory.waits,
        actedAt: { ...memory.actedAt, [actionKey(action)]: now },
    };
}

/** @returns by what a wait is remembered. */
export function waitKey(step: string, target: string): string {
    return `${step} ${target}`;
}
