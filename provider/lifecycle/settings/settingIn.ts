import type { Setting, Settings } from "../vocabulary/settings";

/** @returns a value of a configuration as servers take it; undefined if they do not. PD writes a list as one text: `zone,host`. */
export function settingOf(value: unknown): Setting | undefined {
    if (typeof value === "bigint") {
        return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    }
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
        return value;
    }
    return Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join(",") : undefined;
}

/** @returns the values at these dotted keys of a configuration, a file's or a server's. A key without a value is missing. */
export function settingsIn(config: unknown, keys: readonly string[]): Settings {
    const entries = keys.flatMap((key): [string, Setting][] => {
        const value = settingOf(key.split(".").reduce<unknown>(inner, config));
        return value === undefined ? [] : [[key, value]];
    });
    return Object.fromEntries(entries);
}

/**
 * Returns a value in the form in which the server reports it. PD takes `"true"` for some keys and `true` for others, and refuses
 * the other form.
 */
export function inFormOf(live: Setting | undefined, wanted: Setting): Setting {
    if (typeof live === "string") {
        return String(wanted);
    }
    if (typeof live === "number" && typeof wanted === "string" && wanted.trim() !== "") {
        return Number.isFinite(Number(wanted)) ? Number(wanted) : wanted;
    }
    return typeof live === "boolean" && (wanted === "true" || wanted === "false") ? wanted === "true" : wanted;
}

function inner(value: unknown, key: string): unknown {
    return typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined;
}
