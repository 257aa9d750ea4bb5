/** How many names a list has: a cluster may have a thousand stores. */
const mostListed = 6;

/** Returns names as a list, which is cut if it is long. */
export function listed(names: readonly string[]): string {
    const more = names.length - mostListed;
    return [...names.slice(0, mostListed), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
