import type { WaitMove } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { clockTime } from "./clockTime";

/** @returns what a run waits for, since when, and when it gives up. */
export function describeWait(move: WaitMove, { now, operatedBy }: Observation): string {
    const waited = Math.round((now - move.since) / 1000);
    const clock = move.until === undefined ? "" : clockTime(move.until, now);
    // As long as there is progress, the wait goes on.
    const limit =
        move.left === undefined ? `, until ${clock} at most` : ` without progress, until ${clock} unless there is any`;
    const until = clock === "" ? "" : limit;
    const other = operatedBy === undefined ? "" : `; meanwhile ${operatedBy}`;
    return `waiting: ${move.waitingFor} (${waited} s${until})${other}`;
}
