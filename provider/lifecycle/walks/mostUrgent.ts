import { endedByAny } from "../vocabulary/endedBy";
import type { Move } from "../vocabulary/move";

/**
 * A failure stops everything. Otherwise actions that are possible now come before waits.
 * @returns the most urgent of the moves of several pods that go on side by side; undefined if there is none.
 */
export function mostUrgent(moves: readonly Move[]): Move | undefined {
    for (const kind of ["fail", "look", "act", "wait"] as const) {
        const move = moves.find((one) => one.kind === kind);
        if (move?.kind === "wait") {
            const waits = moves.filter((one) => one.kind === "wait");
            const needsLock = waits.some((one) => one.needsLock) ? { needsLock: true } : {};
            // The end of any of them is the next thing to act on, and the times of all of them run.
            return { ...move, ...needsLock, endedBy: endedByAny(waits), beside: waits.filter((one) => one !== move) };
        }
        if (move) {
            return move;
        }
    }
    return undefined;
}
