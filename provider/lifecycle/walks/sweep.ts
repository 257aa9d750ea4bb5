import type { Leftover } from "../vocabulary/leftover";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { waitOrFail } from "../vocabulary/waitOrFail";
import { leftoversIn } from "./leftovers";

/** How long to wait for PD, in seconds: a PD that has just elected a leader loads its schedulers within a minute. */
const timeoutSeconds = 120;

const step = "sweep";

/** @returns the next move until nothing is left that this package's runs left behind and that may be removed now. */
export function nextSweepMove(observation: Observation, memory: Memory): Move {
    const { found, notKnown } = leftoversIn(observation);
    const wait = (target: string, lacks: string): Move =>
        waitOrFail(observation, { policy: { podReadyTimeoutSeconds: timeoutSeconds } }, memory, {
            step,
            code: "sweep-unfinished",
            target,
            lacks,
            advice: "make PD answer, then run the sweep again: it continues from what it finds",
        });
    if (notKnown.length > 0) {
        return wait(observation.cluster, `not known: ${notKnown.join("; ")}`);
    }
    const left = found.filter(isRemovable);
    const next = left.find(({ action }) => action && mayAct(memory, action, observation.now));
    if (next?.action) {
        return { kind: "act", action: next.action, step, target: next.target };
    }
    return left.length === 0 ? { kind: "done" } : wait(left[0].target, `${left[0].target}: ${left[0].seen}`);
}

/** @returns whether a sweep may remove it. */
export function isRemovable({ isOurs, verdict }: Leftover): boolean {
    return isOurs && verdict === "remove";
}
