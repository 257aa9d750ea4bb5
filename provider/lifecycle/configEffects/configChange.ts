import type { Component } from "../../../topology/members";
import type { Settings } from "../vocabulary/settings";
import { configEffects } from ".";
import { isAmong } from "./configEffects";

/** A member's configuration as a gate knows it: dotted keys with digests of their values, which may be secrets. */
export type ConfigDigests = Readonly<Record<string, string>>;

/** A message about a changed configuration. */
export interface ConfigNote {
    readonly code: "config-change" | "config-without-effect";
    /** One line. */
    readonly words: string;
    /** Whether the change does not have the effect that it suggests. */
    readonly isWarning: boolean;
}

/** The settings that gates set on running servers: those of the last update, and those of this one. */
export interface OnlineChange {
    readonly before: Settings;
    readonly after: Settings;
}

/** Maximum number of keys that one line names. */
const mostKeys = 8;

/**
 * Returns messages that say when the changed keys take effect: only on a new cluster, immediately by other means, or when
 * the server starts.
 *
 * @param restarts Whether the change restarts the member's pods. With the update strategy `InPlace` it does not.
 * @param online The settings that gates set on the running servers: a step of the plan says so. Default: none.
 */
export function configNotes(
    component: Component,
    before: ConfigDigests,
    after: ConfigDigests,
    restarts: boolean,
    online: OnlineChange = { before: {}, after: {} },
): ConfigNote[] {
    const { online: byHand, bootstrap, setOnline = [] } = configEffects[component] ?? { online: [], bootstrap: [] };
    const reported = new Set<string>();
    const isSet = (key: string): boolean =>
        Object.hasOwn(online.after, key) || (!Object.hasOwn(after, key) && Object.hasOwn(online.before, key));
    const changed = changedKeys(before, after);
    const removed = changed.filter((key) => isSet(key) && !Object.hasOwn(after, key));
    const keys = changed.filter((key) => !isSet(key));
    const take = (patterns: readonly string[], isIt: (key: string) => boolean = () => true): string[] => {
        const taken = keys.filter((key) => !reported.has(key) && isAmong(key, patterns) && isIt(key));
        taken.forEach((key) => reported.add(key));
        return taken;
    };
    const when = restarts ? "at the restart" : "when a pod next starts (InPlace restarts none)";
    const isSettable = (key: string): boolean =>
        !isRemoved(key) && setOnline.some(({ keys: some }) => isAmong(key, some));
    const isRemoved = (key: string): boolean => !Object.hasOwn(after, key);
    const note = (some: string[], what: string, isWarning = false): ConfigNote[] =>
        some.length === 0
            ? []
            : [
                  {
                      code: isWarning ? "config-without-effect" : "config-change",
                      words: `config of ${component}: ${named(some)}: ${what}`,
                      isWarning,
                  },
              ];
    return [
        ...note(
            removed,
            "removed: its default is not known, so running servers keep their value for now; to change it online, give it a value",
            true,
        ),
        ...bootstrap.flatMap(({ keys: patterns, instead, isRefused }) => {
            const what = `used only at bootstrap${isRefused ? "" : ", no effect on a running cluster"}: ${instead}`;
            return [
                ...note(
                    take(patterns, isSettable),
                    `${what}, or switch operations.rollout.online on in the same update`,
                    true,
                ),
                ...note(take(patterns, isRemoved), `removed: ${what}`, true),
                ...note(take(patterns), what, true),
            ];
        }),
        ...note(
            take(["**"], (key) => key.includes('"')),
            // The check of the manifest warns of it.
            "one key with a dot, which the server does not read",
        ),
        ...note(take(["**"], isRemoved), `removed: the server's default applies ${when}`),
        ...byHand.flatMap(({ keys: patterns, how, readsChangedFile }) =>
            note(
                take(patterns),
                readsChangedFile
                    ? `is read ${how}${restarts ? `, at the latest ${when}` : " (InPlace restarts none)"}`
                    : `is read ${when}, or immediately ${how}`,
            ),
        ),
        ...note(take(["**"]), `takes effect ${when}, if the server has such a setting`),
    ];
}

/** @returns whether a key of the configuration has another value than before. */
export function isConfigChanged(before: ConfigDigests, after: ConfigDigests): boolean {
    return changedKeys(before, after).length > 0;
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
