/** Returns a number with its noun: `1 leader`, `2 leaders`. */
export function counted(count: number, noun: string): string {
    return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns names in words: `pd`; `pd and tikv`; `pd, tikv and tidb`. */
export function listed(names: readonly string[]): string {
    return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
