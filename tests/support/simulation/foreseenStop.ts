import { GateError } from "../../../provider/gates/gateError";
import type { DryRun } from "../../../provider/lifecycle/dryRun/dryRun";
import { type Action, actionKey, isNote } from "../../../provider/lifecycle/vocabulary/actions";
import type { Foreseen, RunResult } from "./operate";
import type { World } from "./world";

/** A preview compared with the update that follows it. */

/** @returns where the first gate that does not reach its end waits or fails: `leaders-can-move basic-tikv-3`. */
export function stopOf(gates: readonly Foreseen[]): string | undefined {
    const [stop] = gates.flatMap(({ foreseen, refused }) => (foreseen ? stopIn(foreseen) : (refused ?? [])));
    return stop;
}

/** @returns where the update has failed, in the same words; undefined if it has not. */
export function failureOf({ error }: RunResult): string | undefined {
    return error instanceof GateError ? `${error.problem.code} ${error.problem.target}` : error?.message;
}

function stopIn({ end }: DryRun): string[] {
    switch (end.is) {
        case "done":
            return [];
        case "held":
            return [`${end.at.step} ${end.at.target}`];
        case "fails":
            return [`${end.problem.code} ${end.problem.target}`];
        case "not foreseen":
            return ["not foreseen"];
    }
}

/**
 * Without what only records what runs, which nothing waits for, and what the last gate does. Whether PD's limits are raised depends on
 * how PD spreads the leaders meanwhile.
 */
export function inShort(actions: readonly Action[]): string[] {
    return actions.filter((action) => !isNote(action) && !/-(labels|limits)$/.test(action.do)).map(actionKey);
}

/** @returns the actions that runs have taken since the log had that many lines. */
export function takenSince({ log }: World, since: number): Action[] {
    return log.slice(since).flatMap((line) => {
        const found = /\{"do":.*\}$/.exec(line);
        return found ? [JSON.parse(found[0]) as Action] : [];
    });
}
