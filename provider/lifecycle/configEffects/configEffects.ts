/** When a change in a member's configuration file takes effect, for keys that are not simply read at each start. */
export interface ConfigEffects {
    /** The documentation that lists the keys. */
    readonly sources: readonly string[];
    /** Keys that are read at each start and can also be changed while the server runs. */
    readonly online: readonly OnlineKeys[];
    /** Keys whose value in the file is used when the cluster is created, and never again. */
    readonly bootstrap: readonly BootstrapKeys[];
    /** Keys that gates set on running servers with `operations.rollout.online`. Default: none. */
    readonly setOnline?: readonly SettableKeys[];
}

/** Dotted key paths. `*` matches any one part, and a trailing `**` matches everything below. */
export type KeyPatterns = readonly string[];

/** Keys that can be changed while the server runs. */
export interface OnlineKeys {
    readonly keys: KeyPatterns;
    /** How, as text that follows "immediately": `by SET CONFIG tikv`. */
    readonly how: string;
    /** Whether the server does it by itself once its file has changed, in a running pod too: its member is always `InPlace`. Default: no. */
    readonly readsChangedFile?: true;
}

/**
 * Keys that gates set on running servers. Their values are not part of the digest in the ConfigMap's name while
 * `operations.rollout.online` is true: a key that is added to the list restarts the pods of everybody who has set it.
 */
export interface SettableKeys {
    readonly keys: KeyPatterns;
    /** Whether each pod has its own values, or the member's servers share theirs. */
    readonly on: "pods" | "member";
    /** Whether it takes a login as root, so they are set only if the program creates root's password. Default: false. */
    readonly asRoot?: true;
}

/** Keys that are used only when the cluster is created. */
export interface BootstrapKeys {
    readonly keys: KeyPatterns;
    /** What a running cluster does with another value or with none, and what another value needs. */
    readonly instead: string;
    /** Whether servers with data refuse another value. Default: they ignore it. */
    readonly isRefused?: true;
}

/** @returns whether a dotted key matches one of the patterns. */
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
