/** The value in the middle; between the two in the middle of an even number. */
export function median(values: readonly number[]): number {
    return percentile(values, 50);
}

/**
 * The value that `share` per cent of the values do not exceed, interpolated between neighbours.
 *
 * @throws RangeError where there is no value: a measurement that did not take place has no figure.
 */
export function percentile(values: readonly number[], share: number): number {
    if (values.length === 0) {
        throw new RangeError("nothing was measured: there is no percentile of no values");
    }
    const sorted = [...values].sort((a, b) => a - b);
    const position = ((sorted.length - 1) * share) / 100;
    const below = Math.floor(position);
    const above = Math.ceil(position);
    return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
}

/**
 * How many times the other side, from measurements taken in turn: the median of the rounds' ratios. What slows the
 * machine for longer than a round slows both sides of it, and cancels out.
 */
export function ratio(ours: readonly number[], theirs: readonly number[]): number {
    return median(ours.map((value, round) => value / theirs[round]));
}

/** The sum of the values; 0 where there is none. */
export function sum(values: readonly number[]): number {
    return values.reduce((total, value) => total + value, 0);
}
