import type { GatePorts } from "../cluster/gatePorts";
import type { ActEntry, JournalOperation } from "../lifecycle/journal/journalOperation";
import { actionEvents, endEvent } from "../lifecycle/journal/objectEvents";
import {
    beginRecording,
    endRecording,
    recordAction,
    recordLook,
    recordOtherRun,
    recordWait,
    type Recording,
} from "../lifecycle/journal/recording";
import type { ActMove, WaitMove } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { GateError } from "./gateError";

/**
 * Records what an operation does, for the journal and for Events. Nothing here can fail or slow an operation, and nothing is
 * decided by it.
 */
export interface OperationRecord {
    looked(observation: Observation): void;
    /** The lock was taken. @param since when it was first wanted. */
    locked(since: number): void;
    waits(move: WaitMove): void;
    /** An action was decided from the last observation and taken. @param error why it failed. Default: it did not. */
    acted(move: Pick<ActMove, "action" | "step" | "target" | "held">, error?: unknown): void;
    /** The operation is about to end because it was asked to, or because nobody is left to read its messages. */
    stopped(): void;
    /** Writes the end. @param error why the operation failed or was stopped; undefined if it is done. */
    ended(error?: unknown): Promise<void>;
}

/** While an operation waits, it is written as often as this: a reader tells from it what it waits for, and that the process lives. */
const longWaitMilliseconds = 60_000;
/** Nothing else shows a run that has not taken the lock yet, so it is written sooner. */
const longWaitWithoutLockMilliseconds = 10_000;
/** An operation that took no lock, did not fail, and waited less than this is not worth a record. */
const shortWaitMilliseconds = 2_000;

type Ports = Pick<GatePorts, "now" | "journal" | "plan" | "progress">;

/** @param what the operation in words. @returns the record of an operation that begins. */
export function recordOperation(what: string, { now, journal, plan, progress }: Ports): OperationRecord {
    let recording: Recording = beginRecording({
        id: journal.newId(),
        what,
        holder: journal.holder,
        ...(plan === undefined ? {} : { plan }),
        began: now(),
    });
    let seen: Observation | undefined;
    let [isLocked, isStopped, isBroken] = [false, false, false];
    let [writtenAt, isWritten] = [recording.operation.began, false];
    const keep = (): void => {
        [writtenAt, isWritten] = [now(), true];
        journal.keep({ ...recording.operation, writtenAt });
    };
    // What was written needs its end: without one it looks like a run that was interrupted.
    const isWorthKeeping = () =>
        isWritten || isLocked || recording.operation.outcome !== "done" || hasWaited(recording.operation);
    /** A fault in the record must not end the operation that it describes. */
    const safely = (work: () => void): void => {
        try {
            if (!isBroken) {
                work();
            }
        } catch (error) {
            isBroken = true;
            const message = `${what} is not recorded in the journal: ${(error as Error).message}. Everything else goes on. This is a bug in pulumi-tidb`;
            progress.warn({ code: "journal-not-written", message });
        }
    };
    return {
        looked: (observation) =>
            safely(() => {
                seen = observation;
                recording = recordLook(recording, observation);
            }),
        locked: (since) =>
            safely(() => {
                isLocked = true;
                recording = recordOtherRun(recording, what, since, now());
            }),
        waits: (move) =>
            safely(() => {
                recording = recordWait(recording, move, now());
                // What it waits for may change every few seconds.
                if (
                    now() - writtenAt >=
                    (isWritten || isLocked ? longWaitMilliseconds : longWaitWithoutLockMilliseconds)
                ) {
                    keep();
                }
            }),
        acted: (move, error) =>
            safely(() => {
                if (seen === undefined) {
                    return;
                }
                const failed = error === undefined ? undefined : (error as Error).message;
                recording = recordAction(recording, move, seen, now(), failed);
                keep();
                if (failed === undefined) {
                    journal.tell(actionEvents(move.action, recording.operation.entries.at(-1) as ActEntry, seen));
                }
            }),
        stopped: () => {
            isStopped = true;
        },
        ended: async (error) => {
            safely(() => {
                const outcome = error === undefined ? "done" : isStopped ? "stopped" : "failed";
                const why = error === undefined ? undefined : (error as Error).message;
                recording = endRecording(recording, now(), outcome, why);
                if (!isWorthKeeping()) {
                    return;
                }
                keep();
                if (outcome !== "done" && seen !== undefined) {
                    const problem =
                        error instanceof GateError
                            ? error.problem
                            : { step: what, seen: why ?? "", next: "run `pulumi up` again" };
                    journal.tell([endEvent(what, problem, outcome, seen)]);
                }
            });
            if (isWorthKeeping()) {
                await journal.written();
            }
        },
    };
}

function hasWaited({ entries }: JournalOperation): boolean {
    return entries.some((one) => one.is === "wait" && (one.until ?? one.at) - one.at >= shortWaitMilliseconds);
}
