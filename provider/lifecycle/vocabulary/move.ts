import type { Action } from "./actions";
import type { EndedBy } from "./endedBy";
import type { Look } from "./look";
import type { ProblemCode } from "./problemCodes";
import type { Notice } from "./notices";

/** Why a run cannot continue. */
export interface Problem {
    /** Which failure it is. It stays the same when the words change. */
    code: ProblemCode;
    /** The step's name in the plan. */
    step: string;
    /** The pod, store or member concerned, unless the step's name says it. */
    target?: string;
    /** What was found. */
    seen: string;
    /** What the user can do next. */
    next: string;
}

/** A move that takes an action. */
export interface ActMove {
    kind: "act";
    action: Action;
    step: string;
    target: string;
    /** The name under which the wait is remembered. Default: the step's name. */
    waitAs?: string;
    /** Keys of earlier waits that have timed out and stay timed out. */
    passed?: readonly string[];
    /** Names of the stages that held, for the journal; no decision uses them. Default: the action depends on none. */
    held?: readonly string[];
    /** Whether this was decided while PD was unreachable: repairing PD must not wait for PD. Default: false. */
    withoutPd?: boolean;
}

/** A move that waits for a condition. */
export interface WaitMove {
    kind: "wait";
    step: string;
    target: string;
    /** The name under which the wait is remembered; steps with the same name share one timeout. Default: the step's name. */
    waitAs?: string;
    waitingFor: string;
    since: number;
    /** When it fails. */
    until?: number;
    /** When the run goes on although nothing has changed. Default: it does not. */
    goesOnAt?: number;
    /** The remaining count, if the condition has one. The timeout restarts whenever it falls. */
    left?: number;
    /** When the condition was found. It must be found again until it has held long enough. */
    steadyAt?: number;
    /** Keys of earlier waits that have timed out and stay timed out. */
    passed?: readonly string[];
    /** What the user can do while it lasts, and after its timeout. Default: nothing. */
    next?: string;
    /** What alone can end the wait. Default: not known. */
    endedBy?: EndedBy;
    /** Whether it may end without any step of ours, so it is no hold. Default: not that it is known. */
    heals?: boolean;
    /** Whether no other run may operate the cluster, or its PD, meanwhile. Default: false. */
    needsLock?: boolean;
    /** Waits for other pods of the batch, whose times run too. Default: none. */
    beside?: readonly WaitMove[];
}

/** What to do now. The decision is pure; the shell carries it out and observes again. `remarks`: what stays to be done. */
export type Move =
    | { kind: "done"; remarks?: readonly Notice[] }
    | ActMove
    | WaitMove
    | { kind: "look"; at: Look }
    | { kind: "fail"; problem: Problem };
