/** When a changed configuration file has an effect, for the keys of one member that are not simply read at each start. */
export interface ConfigEffects {
    /** Where the keys come from. */
    readonly sources: readonly string[];
    /** Keys that are read at each start, and can also be changed while the server runs. */
    readonly online: readonly OnlineKeys[];
    /** Keys whose value in the file counts when the cluster is made, and never again. */
    readonly bootstrap: readonly BootstrapKeys[];
}

/**
 * Keys by their dotted paths, in which `*` stands for one part of any name, and a last `**` for all that is under it.
 */
export type KeyPatterns = readonly string[];

/** Keys that can be changed while the server runs. */
export interface OnlineKeys {
    readonly keys: KeyPatterns;
    /** How, in words that follow "at once": `by SET CONFIG tikv`. */
    readonly how: string;
}

/** Keys that only count when the cluster is made. */
export interface BootstrapKeys {
    readonly keys: KeyPatterns;
    /** What comes of a change on a cluster that runs, and what to do instead. */
    readonly instead: string;
}

/** @returns whether a dotted key is among the patterns. */
export function isAmong(key: string, patterns: KeyPatterns): boolean {
    const parts = key.split(".");
    return patterns.some((pattern) => matches(parts, pattern.split(".")));
}

function matches(parts: readonly string[], pattern: readonly string[]): boolean {
    const open = pattern.at(-1) === "**";
    const fixed = open ? pattern.slice(0, -1) : pattern;
    const isLong = open ? parts.length > fixed.length : parts.length === fixed.length;
    return isLong && fixed.every((part, index) => part === "*" || part === parts[index]);
}
