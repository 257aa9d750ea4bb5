import type { Component } from "../../../topology/members";
import { configEffects } from ".";
import { isAmong } from "./configEffects";

/** A member's configuration as a gate knows it: dotted key to a digest of its value, which may be a secret. */
export type ConfigDigests = Readonly<Record<string, string>>;

/** What is said about a changed configuration. */
export interface ConfigNote {
    /** One line. */
    readonly words: string;
    /** Whether the change does not do what it says. */
    readonly isWarning: boolean;
}

/** Most keys that one line names. */
const mostKeys = 8;

/**
 * Says when the keys that changed take effect: only on a new cluster, at once by other means, or when the server starts.
 *
 * @param restarts Whether the change restarts the member's pods. With the update strategy `InPlace` it does not.
 */
export function configNotes(
    component: Component,
    before: ConfigDigests,
    after: ConfigDigests,
    restarts: boolean,
): ConfigNote[] {
    const { online, bootstrap } = configEffects[component] ?? { online: [], bootstrap: [] };
    const told = new Set<string>();
    const keys = changedKeys(before, after);
    const take = (patterns: readonly string[]): string[] => {
        const taken = keys.filter((key) => !told.has(key) && isAmong(key, patterns));
        taken.forEach((key) => told.add(key));
        return taken;
    };
    const start = restarts ? "at the restart" : "when a pod next starts (with InPlace none is restarted)";
    const note = (some: string[], what: string, isWarning = false): ConfigNote[] =>
        some.length === 0 ? [] : [{ words: `config of ${component}: ${named(some)}: ${what}`, isWarning }];
    return [
        ...bootstrap.flatMap(({ keys: patterns, instead }) =>
            note(take(patterns), `only at bootstrap, no effect on a running cluster: ${instead}`, true),
        ),
        ...online.flatMap(({ keys: patterns, how }) => note(take(patterns), `${start}; at once ${how}`)),
        ...note(take(["**"]), start),
    ];
}

function changedKeys(before: ConfigDigests, after: ConfigDigests): string[] {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    const value = (digests: ConfigDigests, key: string): string | undefined =>
        Object.hasOwn(digests, key) ? digests[key] : undefined;
    return [...keys].filter((key) => value(before, key) !== value(after, key)).sort();
}

function named(keys: readonly string[]): string {
    const more = keys.length - mostKeys;
    return more > 0 ? `${keys.slice(0, mostKeys).join(", ")} and ${more} more` : keys.join(", ");
}
