/** @returns the entries but one. */
export function without<T>(entries: Readonly<Record<string, T>>, key: string): Record<string, T> {
    return Object.fromEntries(Object.entries(entries).filter(([one]) => one !== key));
}
