import type { LookOptions } from "../lifecycle/vocabulary/look";
import {
    emptyMemory,
    type Memory,
    rememberAction,
    rememberRefusal,
    rememberWait,
    waitKey,
} from "../lifecycle/vocabulary/memory";
import { describeAction, isBookkeeping, isNote } from "../lifecycle/vocabulary/actions";
import type { Move } from "../lifecycle/vocabulary/move";
import { noRecords, type Observation, type OperationRecords } from "../lifecycle/vocabulary/observation";
import { isSafePoint } from "../lifecycle/walks/safeStopPoint";
import { approvalsOf } from "./approvals";
import { CloserLooks } from "./closerLooks";
import { Confirmation } from "./confirmation";
import { endEvictions, releaseLock } from "./endEvictions";
import { GateError } from "./gateError";
import { retryTransient } from "./retry";
import type { GatePorts, HeldLock } from "../cluster/gatePorts";
import type { OperationApproval } from "./operationApproval";
import { longestPause, shortestPause } from "./pauses";
import { refusedNotes } from "./refusedNotes";
import { answerOf, describeWait } from "./describeWait";
import { reportWaits } from "./waitReports";
import { recordOperation } from "./operationRecord";
import { stoppedRun, whyStopped } from "./stoppedRun";
import { needsOf, pdNeeds, refusedGrowth, type StepAction, takeAction, toleratedRefusal } from "./takeAction";
import { takeLock } from "./takeLock";
import { WaitDiagnosis } from "./waitDiagnosis";

export { GateError };

/** One operation of a gate: what it observes, and how it decides. */
export interface Operation {
    /** In words, for the Lease and for other runs that wait for this one. */
    description: string;
    look: LookOptions;
    /** @param isAllApproved whether no step of the plan lacks a person's consent. */
    next(observation: Observation, memory: Memory, isAllApproved: () => boolean): Move;
    /** How it waits for a person's consent. Default: nothing needs it. */
    approval?: OperationApproval;
    /** Whether nothing of the update follows, so a request to stop changes nothing once all is done. Default: false. */
    isLast?: boolean;
}

/**
 * Observes, decides, takes one action, and observes again, until nothing is left to do. Before the first action it takes
 * the cluster's lock, and then decides again.
 * @throws GateError if the operation cannot finish.
 */
export async function runOperation(operation: Operation, ports: GatePorts): Promise<void> {
    let memory: Memory = emptyMemory;
    let lock: HeldLock | undefined;
    const looks = new CloserLooks(operation.look);
    const waits = reportWaits(ports);
    const record = recordOperation(operation.description, ports);
    let failure: unknown;
    let records = noRecords();
    let mayHaveBegun = false;
    let isFirstMove = true;
    const observing = retryTransient(ports, true);
    const acting = retryTransient(ports, false);
    const refused = refusedNotes(ports);
    const confirmation = new Confirmation();
    const diagnosis = new WaitDiagnosis(ports);
    const approvals = approvalsOf(operation.approval, ports, observing);
    const left = { warn: warnedOnce(ports), next: "this run tries again while it waits for consent" };
    const takeLockNow = async (): Promise<HeldLock> => {
        const wantedAt = ports.now();
        const taken = await takeLock(operation, ports);
        record.locked(wantedAt);
        // The previous holder may have changed everything: start all waits again.
        memory = emptyMemory;
        return taken;
    };
    const take = async (step: StepAction, held: HeldLock): Promise<"taken" | "refused"> => {
        try {
            records = await takeAction(step, records, ports, held);
            record.acted(step);
            return "taken";
        } catch (error) {
            record.acted(step, error);
            const tolerated = toleratedRefusal(step.action, error);
            if (tolerated !== undefined) {
                left.warn({ code: "action-refused", message: tolerated });
                return "taken";
            }
            const notGrown = refusedGrowth(step.action, error);
            if (notGrown !== undefined) {
                left.warn({ code: "volume-not-grown", message: notGrown });
                return "refused";
            }
            if (!isNote(step.action)) {
                throw error;
            }
            refused.goOn(step.action, error);
            return "refused";
        }
    };
    try {
        for (;;) {
            const lag = looks.lag() ?? confirmation.lag(ports.now());
            const looked = await observing(() =>
                waits.during(answerOf(looks.options), (instead) =>
                    ports.look(looks.options, lag, (asked) => instead(answerOf(looks.options, asked))),
                ),
            );
            if (!looked) {
                continue;
            }
            const stopped = whyStopped(ports, looked.stopRequest);
            // Until the next safe point, a decision must know of it: it begins nothing more that has to be waited for.
            const observation = stopped === undefined ? looked : { ...looked, stopRequest: stopped };
            record.looked(observation);
            const decided = operation.next(observation, memory, () => approvals.isAllApproved(observation));
            const move = diagnosis.judge(decided, observation);
            if (!confirmation.allows(move, observation, stopped !== undefined, ports.now())) {
                continue;
            }
            records = observation.mayLag ? records : observation.records;
            // What only records what runs ends no wait.
            if (move.kind === "act" && !isNote(move.action)) {
                waits.over(`the next step can be taken: ${describeAction(move.action)}`);
            } else if (move.kind === "done") {
                waits.over("nothing is left to wait for");
            }
            // What this run let run is recorded first: nobody may look at these pods again.
            const isNoting = lock !== undefined && move.kind === "act" && isNote(move.action);
            // A gate that begins after the request lets nothing pass that comes after it, even if it has nothing to do itself.
            const lacking = approvals.lacking(move, observation);
            const mustWait = lacking !== undefined && !approvals.isGiven(lacking, observation, lock);
            const isOver = move.kind === "done" && !lacking && (operation.isLast === true || !isFirstMove);
            isFirstMove = false;
            if (stopped && !isOver && !isNoting && (mustWait || isSafePoint(observation, move))) {
                record.stopped();
                throw stoppedRun(operation, stopped);
            }
            if (mustWait) {
                // While a person is waited for, no leader is kept away, and others may operate the cluster.
                if (mustUndo(records) && (await endEvictions(operation.description, ports, lock, record, left))) {
                    continue;
                }
                const held = lock;
                lock = undefined;
                await releaseLock(held, ports);
                record.waits(approvals.waitFor(lacking, observation));
                await approvals.wait(lacking, observation);
                memory = emptyMemory;
                looks.reset();
                continue;
            }
            if (lacking && lock) {
                const held = lock;
                await acting(() => approvals.take(lacking, observation, held));
                continue;
            }
            if (lacking) {
                // The consent may be used, or the plan changed, until this run has the lock: both are looked at again.
                lock = await takeLockNow();
                continue;
            }
            switch (move.kind) {
                case "done":
                    move.remarks?.forEach((remark) => {
                        ports.progress.warn(remark);
                    });
                    return;
                case "fail":
                    throw new GateError(move.problem);
                case "look":
                    looks.closer(move.at, observation.mayLag !== true);
                    break;
                case "act": {
                    if (!lock) {
                        lock = await takeLockNow();
                        break;
                    }
                    mayHaveBegun ||= move.action.do === "begin-eviction" || move.action.do === "raise-limits";
                    memory = rememberWait(memory, move, observation.now);
                    lock.describe(`${operation.description}: ${describeAction(move.action)}`);
                    const needs = needsOf(observation, move);
                    const took = await acting(() => take({ ...move, needs }, lock as HeldLock));
                    if (took === "refused") {
                        memory = rememberRefusal(memory, move.action);
                    } else if (took) {
                        memory = rememberAction(memory, move, ports.now());
                        if (!isBookkeeping(move.action)) {
                            looks.reset();
                        }
                    }
                    break;
                }
                case "wait": {
                    if (move.needsLock) {
                        if (!lock) {
                            lock = await takeLockNow();
                            break;
                        }
                        const held = lock;
                        await acting(() => held.confirmHeld(pdNeeds(observation)));
                    }
                    memory = rememberWait(memory, move, observation.now);
                    record.waits(move);
                    lock?.describe(`${operation.description}, waiting: ${move.waitingFor}`);
                    const waited = observation.now - move.since;
                    const key = waitKey(move.waitAs ?? move.step, move.target);
                    waits.waiting(key, move.waitingFor, describeWait(move, observation));
                    await diagnosis.look(decided, observation);
                    const { options } = looks;
                    await ports.sleep(longestPause(waited, observation, options), shortestPause(observation, options));
                    looks.waits(key);
                    continue;
                }
            }
        }
    } catch (error) {
        failure = error;
        if (mayHaveBegun || mustUndo(records)) {
            await endEvictions(operation.description, ports, lock, record);
        }
        throw error;
    } finally {
        await releaseLock(lock, ports);
        await approvals.end();
        await record.ended(failure);
    }
}

/** Whether an eviction is open, or limits are raised: neither stays when a run ends. */
export function mustUndo({ evictions, raisedLimits }: OperationRecords): boolean {
    return raisedLimits !== undefined || Object.values(evictions).some(({ endedAt }) => endedAt === undefined);
}

/** @returns warnings, of which each is given once: what is tried again and again fails with the same words. */
function warnedOnce({ progress }: Pick<GatePorts, "progress">): GatePorts["progress"]["warn"] {
    const given = new Set<string>();
    return (notice) => {
        if (!given.has(notice.message)) {
            given.add(notice.message);
            progress.warn(notice);
        }
    };
}
