/**
 * Returns the middle value; for an even number of values, the mean of the two in the middle.
 *
 * @throws RangeError if there are no values: a measurement that did not take place has no figure.
 */
export function median(values: readonly number[]): number {
    if (values.length === 0) {
        throw new RangeError("nothing was measured: an empty list has no median");
    }
    const sorted = [...values].sort((a, b) => a - b);
    const [below, above] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)];
    return (sorted[below] + sorted[above]) / 2;
}

/**
 * Returns our time as a multiple of theirs, from alternate measurements: the median of the rounds' ratios. Whatever
 * slows the machine for longer than a round slows both sides and cancels out.
 */
export function ratio(ours: readonly number[], theirs: readonly number[]): number {
    return median(ours.map((value, round) => value / theirs[round]));
}

/** Returns the sum of the values; 0 if there are none. */
export function sum(values: readonly number[]): number {
    return values.reduce((total, value) => total + value, 0);
}
