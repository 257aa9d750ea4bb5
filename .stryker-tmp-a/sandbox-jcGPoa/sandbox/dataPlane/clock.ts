import { performance } from "node:perf_hooks";

/** Milliseconds since the Unix epoch, about, that never go back. */
export type Clock = () => number;

/** The machine's clock. */
export const systemClock: Clock = () => performance.timeOrigin + performance.now();

/** A clock that stands still until it is told to move, for tests. */
export interface ManualClock {
    (): number;
    advance(milliseconds: number): void;
}

/** A clock at a fixed start that only `advance` moves. */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
    let now = start;
    return Object.assign(() => now, {
        advance(milliseconds: number) {
            now += milliseconds;
        },
    });
}
