import { isDeepStrictEqual } from "node:util";

/**
 * @returns the fields in which two pod templates differ: `spec.containers.tikv.env.TZ`. Items of a list that have names are compared by
 * them. Values are left out: they may be secret.
 */
export function templateChanges(before: unknown, now: unknown, path = ""): string[] {
    if (isDeepStrictEqual(before, now)) {
        return [];
    }
    const [was, is] = [fieldsOf(before), fieldsOf(now)];
    if (was === undefined || is === undefined) {
        return [path];
    }
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
    return keys.flatMap((key) => templateChanges(was[key], is[key], path === "" ? key : `${path}.${key}`));
}

/** An object's fields, or the items of a list by name; undefined if a value is neither. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
    if (!Array.isArray(value)) {
        return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
    }
    const named = value.map((item: unknown) => [(item as { name?: unknown } | null)?.name, item]);
    const names = new Set(named.map(([name]) => name));
    return names.size === value.length && [...names].every((name) => typeof name === "string")
        ? (Object.fromEntries(named) as Record<string, unknown>)
        : undefined;
}
