import type { EarlierValues, Setting, Settings } from "../vocabulary/settings";

/** @returns what each server said before the first change. The most frequent value is kept once, so the Lease stays small. */
export function earlierValues(byServer: Settings): EarlierValues {
    const counts = new Map<Setting, number>();
    for (const value of Object.values(byServer)) {
        counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const [[most]] = [...counts].sort(([, one], [, other]) => other - one);
    return { most, except: Object.fromEntries(Object.entries(byServer).filter(([, value]) => value !== most)) };
}

/** @returns the value that a server had. A server that did not run then reads the file, which had the most frequent one. */
export function earlierValue({ most, except }: EarlierValues, server: string): Setting {
    return Object.hasOwn(except, server) ? except[server] : most;
}
