import { lookCloser, type LookOptions } from "../lifecycle/vocabulary/look";
import { emptyMemory, type Memory, rememberAction, rememberWait } from "../lifecycle/vocabulary/memory";
import { isBookkeeping } from "../lifecycle/vocabulary/actions";
import type { Move } from "../lifecycle/vocabulary/move";
import { noRecords, type Observation, type OperationRecords } from "../lifecycle/vocabulary/observation";
import { isSafePoint } from "../lifecycle/walks/openEvictions";
import { endEvictions, releaseLock } from "./endEvictions";
import { GateError } from "./gateError";
import { retryTransient } from "./retry";
import type { GatePorts, HeldLock } from "../cluster/ports";
import { needsOf, type StepAction, takeAction } from "./takeAction";

export { GateError };

/** One operation of a gate: what it looks at, and how it decides. */
export interface Operation {
    /** In words, for the Lease and for whoever waits for it. */
    description: string;
    look: LookOptions;
    next(observation: Observation, memory: Memory): Move;
}

const shortestPauseMilliseconds = 150;
const longestPauseMilliseconds = 2_000;
/** A wait is looked at every twentieth of the time it has lasted: 5 % of it is the most that is lost. */
const pauseShare = 20;
/** Lists of regions are long, and change with every heartbeat at most: PD is asked for them no more often. */
const regionsPauseMilliseconds = 3_000;
/** A wait that lasts is said again in a line that stays this often. */
const remindEveryMilliseconds = 30_000;
/** How long to leave PD's lock alone, which does not say when it ends. */
const pdLockPauseMilliseconds = 5_000;
/** How long to wait for another run to end. */
const lockTimeoutMilliseconds = 3_600_000;

/**
 * Observes, decides, does one thing, and observes again, until nothing is left to do. Takes the cluster's lock before
 * the first thing it does, and decides anew once it has it.
 * @throws GateError where the end cannot be reached.
 */
export async function runOperation(operation: Operation, ports: GatePorts): Promise<void> {
    let memory: Memory = emptyMemory;
    let lock: HeldLock | undefined;
    let look = operation.look;
    let reminded = ports.now();
    let records = noRecords();
    let mayHaveBegun = false;
    // A request that was there before this run is not meant for it.
    let earlierRequest: { by: string | undefined } | undefined;
    const observing = retryTransient(ports, true);
    const acting = retryTransient(ports, false);
    const take = async (step: StepAction, held: HeldLock): Promise<true> => {
        records = await takeAction(step, records, ports, held);
        return true;
    };
    try {
        for (;;) {
            const observation = await observing(() => ports.look(look));
            if (!observation) {
                continue;
            }
            records = observation.records;
            const move = operation.next(observation, memory);
            earlierRequest ??= { by: observation.stopRequest };
            const stoppedBy = ports.progress.abandoned
                ? "the end of Pulumi"
                : observation.stopRequest !== earlierRequest.by && observation.stopRequest;
            if (stoppedBy && move.kind !== "done" && isSafePoint(observation)) {
                throw new GateError({
                    step: "stop",
                    target: operation.description,
                    seen: `${stoppedBy} asked for it to end at a safe point`,
                    next: "run `pulumi up` to go on from here",
                });
            }
            switch (move.kind) {
                case "done":
                    return;
                case "fail":
                    throw new GateError(move.problem);
                case "look":
                    look = lookCloser(look, move.at);
                    break;
                case "act": {
                    if (!lock) {
                        lock = await takeLock(operation, ports);
                        // Whoever had the lock may have changed everything: nothing has been waited for yet.
                        memory = emptyMemory;
                        break;
                    }
                    mayHaveBegun ||= move.action.do === "begin-eviction";
                    memory = rememberWait(memory, move, observation.now);
                    const needs = needsOf(observation, move);
                    if (await acting(() => take({ ...move, needs }, lock as HeldLock))) {
                        memory = rememberAction(memory, move, ports.now());
                        look = isBookkeeping(move.action) ? look : operation.look;
                    }
                    break;
                }
                case "wait": {
                    memory = rememberWait(memory, move, observation.now);
                    const waited = observation.now - move.since;
                    ports.progress.status(describeWait(move, observation));
                    if (waited >= remindEveryMilliseconds && observation.now - reminded >= remindEveryMilliseconds) {
                        reminded = observation.now;
                        ports.progress.info(describeWait(move, observation));
                    }
                    await ports.sleep(Math.max(pauseFor(waited), look.regions ? regionsPauseMilliseconds : 0));
                    break;
                }
            }
        }
    } catch (error) {
        if (mayHaveBegun || hasOpenEviction(records)) {
            await endEvictions(operation.description, ports, lock);
        }
        throw error;
    } finally {
        await releaseLock(lock, ports);
    }
}

/** @returns for how long to leave the cluster alone, having waited for `waited` milliseconds. */
export function pauseFor(waited: number): number {
    return Math.min(longestPauseMilliseconds, Math.max(shortestPauseMilliseconds, waited / pauseShare));
}

function hasOpenEviction(records: OperationRecords): boolean {
    return Object.values(records.evictions).some((record) => record.endedAt === undefined);
}

/** @returns the lock of the cluster, once whoever has it has let go. */
export async function takeLock(operation: Pick<Operation, "description">, ports: GatePorts): Promise<HeldLock> {
    const began = ports.now();
    let announced: string | undefined;
    const reading = retryTransient(ports, true);
    for (;;) {
        const found = await reading(async () => ({ lease: await ports.lease() }));
        if (!found) {
            continue;
        }
        const { lease } = found;
        if (!lease) {
            throw missingLease(operation);
        }
        const taken = await reading(() => ports.tryLock(lease, operation.description));
        if (!taken) {
            continue;
        }
        if ("lock" in taken) {
            return taken.lock;
        }
        if (announced !== taken.heldBy) {
            announced = taken.heldBy;
            ports.progress.warn(`waiting for ${taken.heldBy}: ${taken.operation}`);
        }
        const left = taken.expiresAt === undefined ? undefined : taken.expiresAt - ports.now();
        const ending =
            left === undefined ? "" : `; without a sign of life its lock ends in ${Math.ceil(left / 1000)} s`;
        ports.progress.status(`waiting for ${taken.heldBy} (${taken.operation})${ending}`);
        if (ports.now() - began > lockTimeoutMilliseconds) {
            throw new GateError({
                step: "lock",
                target: operation.description,
                seen: `${taken.heldBy} has held the lock for an hour (${taken.operation})`,
                next: "wait until that run has ended, or end it",
            });
        }
        await ports.sleep(left === undefined ? pdLockPauseMilliseconds : Math.min(1_000, Math.max(100, left)));
    }
}

function missingLease(operation: Pick<Operation, "description">): GateError {
    return new GateError({
        step: "lock",
        target: operation.description,
        seen: "the cluster's Lease is gone",
        next: "run `pulumi refresh`, then `pulumi up`: the Lease is made again",
    });
}

function describeWait(move: Extract<Move, { kind: "wait" }>, { now, operatedBy }: Observation): string {
    const waited = Math.round((now - move.since) / 1000);
    const clock = move.until === undefined ? "" : new Date(move.until).toTimeString().slice(0, 8);
    // Whoever makes progress is waited for on.
    const limit =
        move.left === undefined ? `, until ${clock} at most` : ` without progress, fails at ${clock} without any`;
    const until = clock === "" ? "" : limit;
    const other = operatedBy === undefined ? "" : `; meanwhile ${operatedBy}`;
    return `waiting: ${move.waitingFor} (${waited} s${until})${other}`;
}
