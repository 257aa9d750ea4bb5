import { uptime } from "node:os";
import { performance } from "node:perf_hooks";

/** A difference between clocks that is no rounding: the machine slept, or its clock was set. */
const jumpMilliseconds = 1_000;

/** Milliseconds since 1970 when the process started, and from there on by a clock that nobody sets. */
export function steadyNow(): number {
    return performance.timeOrigin + performance.now();
}

/** Milliseconds since the machine was started, with those in which it slept: Linux counts them here, also where the wall clock is set. */
function uptimeMilliseconds(): number {
    return uptime() * 1000;
}

/**
 * @returns a clock in which the time counts that a machine sleeps, which its steady clock may leave out, as Linux's does.
 * It never goes back. A wall clock that is set forward makes it jump too: what is young by this clock is young indeed.
 * @param up a clock that counts sleep and that nobody sets: one that is set back during a sleep would hide it.
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
