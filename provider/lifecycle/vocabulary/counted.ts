/** Returns a number with its noun: `1 leader`, `2 leaders`. */
export function counted(count: number, noun: string): string {
    return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
