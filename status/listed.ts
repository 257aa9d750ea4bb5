/** How many names a list has: a cluster may have a thousand stores. */
const mostListed = 6;

/** Returns names as a list, which is cut if it is long. */
export function listed(names: readonly string[]): string {
    const more = names.length - mostListed;
    return [...names.slice(0, mostListed), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Returns how often each value occurs, the most frequent first. */
export function countsOf(values: readonly string[]): [value: string, times: number][] {
    const counts = new Map<string, number>();
    for (const value of values) {
        counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].sort(([one, oneTimes], [other, otherTimes]) => otherTimes - oneTimes || (one < other ? -1 : 1));
}

/** Returns counted values: `v8.5.2 ×2, v8.5.3`; a single one without its number. */
export function countsInWords(counts: readonly (readonly [value: string, times: number])[]): string {
    return counts
        .map(([value, times]) => (counts.length === 1 || times === 1 ? value : `${value} ×${times}`))
        .join(", ");
}
