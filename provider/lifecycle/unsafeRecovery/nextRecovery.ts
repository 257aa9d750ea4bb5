import { heartbeatsOf } from "../stages/trustedCounts";
import { hasTaken, type Memory, mayAct, waitingSince, waitKey } from "../vocabulary/memory";
import type { Action } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { areSameStores, storesInWords } from "../vocabulary/storesInWords";
import { waitForPd, waitOrFail } from "../vocabulary/waitOrFail";
import { riskOf } from "./planRecovery";
import { type RecoveryState, recoveryState } from "./recoveryState";
import { type RecoveryTarget, requestedStores } from "./recoveryTarget";

/** The step whose wait is for a recovery that PD runs. */
export const recoveryWait = "unsafe-recovery";
const step = recoveryWait;
/** PD leaves force leader when its timeout has passed, and gives up only afterwards: time for that, in seconds. */
const afterTimeoutSeconds = 300;
/**
 * PD drops its list of regions when it has recovered, and each leader reports its region with each of its heartbeats (TiKV's
 * `pd-heartbeat-tick-interval`, a minute by default). Before that, a restart would be judged by a list that lacks regions.
 */
const heartbeatsUntilReported = 2;
const showIt = "`pd-ctl unsafe remove-failed-stores show` has all of PD's report";

/**
 * @param followed whether the run has begun a recovery or waited for one, although its memory may not say so any more.
 * @returns the next move until PD has recovered from the loss of the stores.
 */
export function nextRecoveryMove(
    observation: Observation,
    target: RecoveryTarget,
    memory: Memory,
    followed = false,
): Move {
    const stores = requestedStores(target, observation);
    const on = storesInWords(stores);
    const state = recoveryState(observation, target);
    const givenUp = givenUpRecovery(observation);
    if (state.is !== "over" && givenUp !== undefined) {
        const action: Action = { do: "forget-recovery", stores: givenUp };
        return { kind: "act", action, step: "unsafe-recovery-given-up", target: storesInWords(givenUp) };
    }
    switch (state.is) {
        case "over":
            return { kind: "done" };
        case "look":
            return { kind: "look", at: state.at };
        case "running":
            return alone(
                waitOrFail(observation, target, memory, {
                    step,
                    code: state.isOther ? "unsafe-recovery-of-others" : "unsafe-recovery-unfinished",
                    target: on,
                    lacks: state.isOther
                        ? `PD to end an unsafe recovery of other stores: ${state.report}`
                        : `PD to finish the unsafe recovery: ${state.report}`,
                    advice: `find out what PD waits for: ${showIt}. \`pulumi up\` then continues from here`,
                    seconds: target.timeoutSeconds + afterTimeoutSeconds,
                }),
                state.isOther,
            );
        case "ended": {
            const { report } = state;
            const settling = "regions-reported";
            const milliseconds = heartbeatsUntilReported * heartbeatsOf(observation).region;
            const goesOnAt = waitingSince(memory, settling, on, observation.now) + milliseconds;
            if (observation.now < goesOnAt) {
                const move = waitOrFail(observation, target, memory, {
                    step: settling,
                    target: on,
                    lacks: "every region must be reported to PD again, because PD has discarded what it knew",
                    advice: showIt,
                    seconds: 2 * (milliseconds / 1000),
                });
                return alone(move.kind === "wait" ? { ...move, goesOnAt } : move);
            }
            const action: Action = { do: "note-recovery-finished", stores: state.stores, report };
            return { kind: "act", action, step, target: on };
        }
        case "kept":
            return kept(observation, target, memory, on, state.why);
        case "due": {
            const { timeoutSeconds } = target;
            const action: Action = { do: "remove-failed-stores", stores, timeoutSeconds, risk: riskOf(state) };
            // What this run has begun or waited for is not begun again without a person who has read why it failed.
            if (state.hasFailed && (followed || hasTaken(memory, action) || waitKey(step, on) in memory.waits)) {
                return {
                    kind: "fail",
                    problem: { code: "unsafe-recovery-failed", step, target: on, ...failure(state.earlier ?? "") },
                };
            }
            return mayAct(memory, action, observation.now)
                ? { kind: "act", action, step, target: on }
                : waitOrFail(observation, target, memory, {
                      step,
                      code: "unsafe-recovery-not-shown",
                      target: on,
                      lacks: "PD to show the unsafe recovery that was begun",
                      advice: `see whether PD has begun it: ${showIt}`,
                  });
        }
    }
}

/**
 * Regions have no leader meanwhile, or PD does not list them: no other run may restart a store.
 * @param heals whether it ends by itself, and leaves regions behind that are not foreseen. Default: no.
 */
function alone(move: Move, heals = false): Move {
    return move.kind === "wait" ? { ...move, needsLock: true, ...(heals ? { heals } : {}) } : move;
}

/** @returns the stores of a recovery that is on record as begun, and that PD has given up: a consent to it must not outlast it. */
export function givenUpRecovery({ pd: { unsafeRecovery }, records }: Observation): readonly number[] | undefined {
    const stores = records.unsafeRecovery?.begun?.stores;
    const isGivenUp =
        stores !== undefined &&
        unsafeRecovery.known &&
        unsafeRecovery.value.stage === "failed" &&
        areSameStores(unsafeRecovery.value.failedStores, stores);
    return isGivenUp ? stores : undefined;
}

function kept(
    observation: Observation,
    target: RecoveryTarget,
    memory: Memory,
    on: string,
    why: Extract<RecoveryState, { is: "kept" }>["why"],
): Move {
    if ("refused" in why) {
        return {
            kind: "fail",
            problem: { code: "unsafe-recovery-refused", step, target: on, seen: why.refused, next: refusedAdvice },
        };
    }
    if (observation.pdTrouble !== undefined) {
        return waitForPd(observation, { component: "pd", replicas: 0, policy: target.policy }, memory);
    }
    const advice = "nothing was begun: find out why this cannot be known; `pulumi up` then continues from here";
    return waitOrFail(observation, target, memory, {
        step: "unsafe-recovery-evidence",
        target: on,
        lacks: why.lacks,
        advice,
    });
}

/** What to do about a refusal: nothing was begun. */
const refusedAdvice = "nothing was begun: correct this, or take operations.unsafeRecovery out of the program";

function failure(report: string): { seen: string; next: string } {
    return {
        seen: `PD has given up the unsafe recovery: ${report}`,
        next: `remove the cause (${showIt}); the next preview plans another one, which needs a new approval`,
    };
}
