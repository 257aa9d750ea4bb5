import type { Asked } from "../cluster/gatePorts";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { WaitMove } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { clockTime } from "./clockTime";

/** @returns what a run waits for, since when, and what happens when. */
export function describeWait(move: WaitMove, { now, operatedBy }: Observation): string {
    const waited = Math.round((now - move.since) / 1000);
    const other = operatedBy === undefined ? "" : `; meanwhile ${operatedBy}`;
    return `waiting: ${move.waitingFor} (${waited} s${endOf(move, now)})${other}`;
}

/**
 * @param asked whom it asks now. Default: that is not known.
 * @returns what an observation waits for while it is made.
 */
export function answerOf(options: LookOptions, asked?: Asked): string {
    const { pd, regions, status, asks = [], ownLeadersOf = [], settings, backups } = options;
    const asksPd = pd.length > 0 || regions !== undefined;
    const asksPods = status.length + asks.length + ownLeadersOf.length > 0;
    const others = asked === "the API server" ? [] : [...(asksPd ? ["PD"] : []), ...(asksPods ? ["a pod"] : [])];
    const isApiToo = asks.includes("password-secret") || settings !== undefined || backups === true;
    const isOver = asked === "others" && !isApiToo && others.length > 0;
    return `an answer of ${[...(isOver ? [] : ["the API server"]), ...others].join(" or ")}`;
}

function endOf({ until = Infinity, goesOnAt = Infinity, left }: WaitMove, now: number): string {
    if (goesOnAt < Infinity && goesOnAt <= until) {
        return `; goes on at ${clockTime(goesOnAt, now)} if this stays so`;
    }
    if (until === Infinity) {
        return "";
    }
    // As long as there is progress, the wait goes on.
    const [before, unless] = left === undefined ? ["", ""] : [" without progress", " unless there is any"];
    return `${before}; fails at ${clockTime(until, now)}${unless}`;
}
