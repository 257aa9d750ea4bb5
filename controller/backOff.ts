/** How long to wait before a cluster is looked at again. All times are in milliseconds. */
export interface Pace {
    /** Between two looks that succeed. */
    readonly every: number;
    /** The longest wait after looks that failed. */
    readonly longest: number;
}

/**
 * Returns the wait before the next look: `every` after a look that succeeded, and twice as long for each failure since then,
 * up to `longest`. One success makes it short again.
 * @param failures looks that failed since the last success
 * @param random from 0 to 1: spreads the looks, so clusters that failed together are not asked together again
 */
export function waitBeforeLook({ every, longest }: Pace, failures: number, random: number): number {
    const wait = failures === 0 ? every : Math.min(Math.max(every, longest), every * 2 ** failures);
    return wait * (0.9 + 0.2 * random);
}
