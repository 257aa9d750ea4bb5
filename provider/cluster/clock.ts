import { uptime } from "node:os";
import { performance } from "node:perf_hooks";

/** A larger difference between clocks is not rounding: the machine slept, or its clock was set. */
const jumpMilliseconds = 1_000;

/** Milliseconds since 1970, by a clock that starts at the process's start time and that nobody can set. */
export function steadyNow(): number {
    return performance.timeOrigin + performance.now();
}

/** Milliseconds since the machine started, including sleep: Linux counts sleep here, even if the wall clock is set. */
function uptimeMilliseconds(): number {
    return uptime() * 1000;
}

/**
 * @returns a clock that counts the time while the machine sleeps; a steady clock may not, as on Linux. It never goes
 * back. If the wall clock is set forward, this clock jumps too: an age by this clock is never too small.
 * @param up a clock that counts sleep and that nobody can set: a wall clock set back during a sleep would hide the sleep.
 */
export function sleepAwareClock(
    steady: () => number = steadyNow,
    wall: () => number = Date.now,
    up: () => number = uptimeMilliseconds,
): () => number {
    const read = () => ({ steady: steady(), wall: wall(), up: up() });
    let last = read();
    let slept = 0;
    return () => {
        const next = read();
        const missed = Math.max(next.wall - last.wall, next.up - last.up) - (next.steady - last.steady);
        slept += missed > jumpMilliseconds ? missed : 0;
        last = next;
        return next.steady + slept;
    };
}
