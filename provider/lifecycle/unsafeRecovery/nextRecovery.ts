import { hasActed, type Memory, mayAct, waitKey } from "../vocabulary/memory";
import type { Action, Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { storesInWords } from "../vocabulary/records";
import { waitForPd, waitOrFail } from "../vocabulary/waitOrFail";
import { type RecoveryState, recoveryState } from "./recoveryState";
import { type RecoveryTarget, requestedStores } from "./recoveryTarget";

const step = "unsafe-recovery";
/** PD leaves force leader when its timeout has passed, and gives up only afterwards: time for that, in seconds. */
const afterTimeoutSeconds = 300;
const showIt = "`pd-ctl unsafe remove-failed-stores show` has all of PD's report";

/** @returns the next move until PD has recovered from the loss of the stores. */
export function nextRecoveryMove(observation: Observation, target: RecoveryTarget, memory: Memory): Move {
    const stores = requestedStores(target, observation);
    const on = storesInWords(stores);
    const state = recoveryState(observation, target);
    switch (state.is) {
        case "over":
            return { kind: "done" };
        case "look":
            return { kind: "look", at: state.at };
        case "running":
            return waitOrFail(observation, target, memory, {
                step,
                target: on,
                lacks: state.isOther
                    ? `PD to end an unsafe recovery of other stores: ${state.report}`
                    : `PD to finish the unsafe recovery: ${state.report}`,
                advice: `find out what PD waits for: ${showIt}. \`pulumi up\` then continues from here`,
                seconds: target.timeoutSeconds + afterTimeoutSeconds,
            });
        case "ended": {
            const { report } = state;
            const action: Action = { do: "note-recovery-finished", stores: state.stores, report };
            return { kind: "act", action, step, target: on };
        }
        case "kept":
            return kept(observation, target, memory, on, state.why);
        case "due": {
            // What this run has begun or waited for is not begun again without a person who has read why it failed.
            if (state.hasFailed && (hasActed(memory) || waitKey(step, on) in memory.waits)) {
                return { kind: "fail", problem: { step, target: on, ...failure(state.earlier ?? "") } };
            }
            const { timeoutSeconds } = target;
            const action: Action = { do: "remove-failed-stores", stores, timeoutSeconds };
            return mayAct(memory, action, observation.now)
                ? { kind: "act", action, step, target: on }
                : waitOrFail(observation, target, memory, {
                      step,
                      target: on,
                      lacks: "PD to show the unsafe recovery that was begun",
                      advice: `see whether PD has begun it: ${showIt}`,
                  });
        }
    }
}

function kept(
    observation: Observation,
    target: RecoveryTarget,
    memory: Memory,
    on: string,
    why: Extract<RecoveryState, { is: "kept" }>["why"],
): Move {
    if ("refused" in why) {
        return { kind: "fail", problem: { step, target: on, seen: why.refused, next: refusedAdvice } };
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
export const refusedAdvice = "nothing was begun: correct this, or take operations.unsafeRecovery out of the program";

function failure(report: string): { seen: string; next: string } {
    return {
        seen: `PD has given up the unsafe recovery: ${report}`,
        next: `remove the cause (${showIt}); the next preview plans another one, which needs a new approval`,
    };
}
