import { actionKey, beginsWait } from "./actions";
import type { Action } from "./actions";
import type { ActMove, WaitMove } from "./move";

/** What a run's loop remembers between two decisions. It is lost with the process; only timeouts and retries depend on it. */
export interface Memory {
    /** Step and target → the wait for it. */
    waits: Readonly<Record<string, Wait>>;
    /** Key of an action → when it was last taken. */
    actedAt: Readonly<Record<string, number>>;
    /** The same of earlier actions, so each action copies only the last ones. Default: there are none. */
    actedBefore?: Readonly<Record<string, number>>;
}

/** A wait for a condition. Times are milliseconds of the run's own clock. */
export interface Wait {
    /** When the wait began or last made progress. */
    since: number;
    /** When the condition was last waited for. */
    seenAt: number;
    /** The lowest remaining count so far. */
    left?: number;
    /** Since when every check has found the condition. */
    steadySince?: number;
}

export const emptyMemory: Memory = { waits: {}, actedAt: {} };

/**
 * After this gap, in milliseconds, the condition has held in between, and a new wait starts with its full timeout. The
 * gap is longer than the slowest observation, so a flapping condition counts as one wait.
 */
const newWaitAfterMilliseconds = 60_000;
/** A condition that was not checked for this long may have been lost in between. */
const steadyGapMilliseconds = 15_000;
/** An action without a visible effect is retried after this long. */
const repeatActionAfterMilliseconds = 5_000;

function waitOf(memory: Memory, step: string, target: string, now: number): Wait | undefined {
    const wait = memory.waits[waitKey(step, target)];
    return wait && now - wait.seenAt < newWaitAfterMilliseconds ? wait : undefined;
}

/** @returns whether the run has waited for the step until now: since then it has waited for nothing else, and has not acted towards it. */
export function isLastWait(memory: Memory, step: string, target: string, now: number): boolean {
    const wait = waitOf(memory, step, target, now);
    return wait !== undefined && Object.values(memory.waits).every(({ seenAt }) => seenAt <= wait.seenAt);
}

/**
 * @param left the remaining count, if the step has one.
 * @returns since when the step has been waiting without progress; `now` for a new wait.
 */
export function waitingSince(memory: Memory, step: string, target: string, now: number, left?: number): number {
    const wait = waitOf(memory, step, target, now);
    const progress = left !== undefined && wait?.left !== undefined && left < wait.left;
    return wait && !progress ? wait.since : now;
}

/** @returns since when every check has found the condition; `now`, when the answer was there, if this is the first one. */
export function steadySince(memory: Memory, step: string, target: string, now: number): number {
    const wait = memory.waits[waitKey(step, target)];
    return wait?.steadySince !== undefined && now - wait.seenAt < steadyGapMilliseconds ? wait.steadySince : now;
}

/** @returns whether the action may be taken: it was not taken yet, or its effect should be visible by now. */
export function mayAct(memory: Memory, action: Action, now: number): boolean {
    return now - (takenAt(memory, actionKey(action)) ?? -Infinity) >= repeatActionAfterMilliseconds;
}

/** @returns the memory extended by a step that does not hold yet. An action towards the step counts as waiting for it. */
export function rememberWait(memory: Memory, move: ActMove | WaitMove, now: number): Memory {
    const beside = move.kind === "wait" ? (move.beside ?? []) : [];
    return beside.reduce((all, one) => rememberOne(all, one, now), rememberOne(memory, move, now));
}

function rememberOne(memory: Memory, move: ActMove | WaitMove, now: number): Memory {
    const { target, step: name, waitAs: step = name } = move;
    const left = move.kind === "wait" ? move.left : undefined;
    const before = waitOf(memory, step, target, now)?.left;
    const wait: Wait = {
        since: waitingSince(memory, step, target, now, left),
        seenAt: now,
        left: left === undefined ? before : Math.min(left, before ?? Infinity),
        steadySince:
            move.kind === "wait" && move.steadyAt !== undefined ? steadySince(memory, step, target, now) : undefined,
    };
    const passed = (move.passed ?? []).flatMap((key) => {
        const over = memory.waits[key];
        return over ? [[key, { ...over, seenAt: now }] as const] : [];
    });
    return { ...memory, waits: { ...memory.waits, ...Object.fromEntries(passed), [waitKey(step, target)]: wait } };
}

/** @returns the memory without the waits that are over: none of them is asked for any more. */
export function withoutOldWaits(memory: Memory, now: number): Memory {
    const waits = Object.entries(memory.waits).filter(([, { seenAt }]) => now - seenAt < newWaitAfterMilliseconds);
    return { ...memory, waits: Object.fromEntries(waits) };
}

/** @returns the memory of a run that has waited on and on until then for what it last waited for. */
export function waitedUntil(memory: Memory, now: number): Memory {
    const last = Math.max(...Object.values(memory.waits).map(({ seenAt }) => seenAt));
    const waits = Object.entries(memory.waits).map(([key, wait]) => [
        key,
        wait.seenAt === last ? { ...wait, seenAt: now } : wait,
    ]);
    return { ...memory, waits: Object.fromEntries(waits) as Memory["waits"] };
}

/**
 * @returns the memory extended by an action that was taken. The wait for an eviction starts with the action, not before; and so does the
 * wait for a pod that takes the place of a deleted one.
 */
export function rememberAction(memory: Memory, { action, step, target }: ActMove, now: number): Memory {
    const begins = beginsWait(action);
    const key = begins && waitKey(begins === "its own" ? step : begins, target);
    const others = Object.fromEntries(Object.entries(memory.waits).filter(([other]) => other !== key));
    return { waits: key === undefined ? memory.waits : others, ...withTaken(memory, actionKey(action), now) };
}

/** @returns the memory extended by an action that the API server refused: it is not tried again in this run. */
export function rememberRefusal(memory: Memory, action: Action): Memory {
    return { ...memory, ...withTaken(memory, actionKey(action), Infinity) };
}

/** So many actions are copied with each next one. */
const mostCopied = 50;

function withTaken({ actedAt, actedBefore }: Memory, key: string, at: number): Pick<Memory, "actedAt" | "actedBefore"> {
    return Object.keys(actedAt).length < mostCopied
        ? { actedAt: { ...actedAt, [key]: at }, ...(actedBefore ? { actedBefore } : {}) }
        : { actedAt: { [key]: at }, actedBefore: { ...actedBefore, ...actedAt } };
}

function takenAt({ actedAt, actedBefore }: Memory, key: string): number | undefined {
    return actedAt[key] ?? actedBefore?.[key];
}

/** @returns whether the run has taken an action. */
export function hasActed(memory: Memory): boolean {
    return Object.keys(memory.actedAt).length > 0;
}

/** @returns whether the run has taken this action. */
export function hasTaken(memory: Memory, action: Action): boolean {
    return takenAt(memory, actionKey(action)) !== undefined;
}

/** @returns whether the API server has refused this action to the run. */
export function wasRefused(memory: Memory, action: Action): boolean {
    return takenAt(memory, actionKey(action)) === Infinity;
}

/** @returns the key under which a wait is remembered. */
export function waitKey(step: string, target: string): string {
    return `${step} ${target}`;
}
