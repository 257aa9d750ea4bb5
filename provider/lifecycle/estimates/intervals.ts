/** A time from a beginning to an end, in milliseconds since 1970. */
export interface Interval {
    readonly from: number;
    readonly to: number;
}

/** @returns the intervals joined where they touch, in their order. */
export function united(intervals: readonly Interval[]): Interval[] {
    const joined: Interval[] = [];
    for (const one of [...intervals].sort((a, b) => a.from - b.from)) {
        const last = joined.at(-1);
        if (last !== undefined && one.from <= last.to) {
            joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, one.to) };
        } else {
            joined.push({ from: one.from, to: one.to });
        }
    }
    return joined;
}

/** @returns for how long at least one of the intervals lasts, in milliseconds. */
export function coveredMilliseconds(intervals: readonly Interval[]): number {
    return united(intervals).reduce((sum, { from, to }) => sum + to - from, 0);
}

/** @returns the parts of the intervals that lie between two times. */
export function within(intervals: readonly Interval[], { from, to }: Interval): Interval[] {
    return intervals
        .map((one) => ({ from: Math.max(one.from, from), to: Math.min(one.to, to) }))
        .filter((one) => one.to > one.from);
}
