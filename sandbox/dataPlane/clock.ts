import { performance } from "node:perf_hooks";

/** Returns milliseconds, approximately since the Unix epoch. The value never decreases. */
export type Clock = () => number;

/** The machine's clock. */
export const systemClock: Clock = () => performance.timeOrigin + performance.now();

/** A clock for tests that moves only when told to. */
export interface ManualClock {
    (): number;
    advance(milliseconds: number): void;
}

/** Creates a clock with a fixed start that only `advance` moves. */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
    let now = start;
    return Object.assign(() => now, {
        advance(milliseconds: number) {
            now += milliseconds;
        },
    });
}
