import { performance } from "node:perf_hooks";

/** A difference between the two clocks that is no rounding: the machine slept, or its clock was set. */
const JUMP_MILLISECONDS = 1_000;

/** Milliseconds since 1970 when the process started, and from there on by a clock that nobody sets. */
export function steadyNow(): number {
    return performance.timeOrigin + performance.now();
}

/**
 * @returns a clock in which the time counts that a machine sleeps, which its steady clock may leave out, as Linux's does.
 * It never goes back. A wall clock that is set forward makes it jump too: what is young by this clock is young indeed.
 */
export function wakefulClock(steady: () => number = steadyNow, wall: () => number = Date.now): () => number {
    let last = { steady: steady(), wall: wall() };
    let slept = 0;
    return () => {
        const next = { steady: steady(), wall: wall() };
        const missed = next.wall - last.wall - (next.steady - last.steady);
        slept += missed > JUMP_MILLISECONDS ? missed : 0;
        last = next;
        return next.steady + slept;
    };
}
