/** The fields of a JSON object, unchecked. */
export type Fields = Record<string, unknown>;

/** A field of an answer has a value that PD would not write. */
export class BadAnswer extends Error {
    constructor(field: string, found: unknown, expected: string) {
        const text = typeof found === "bigint" ? String(found) : (JSON.stringify(found) ?? "nothing");
        super(`${field} is ${text.length > 80 ? text.slice(0, 80) + "…" : text}, expected ${expected}`);
        this.name = "BadAnswer";
    }
}

/** Reads a field that PD may omit: undefined if it is missing or null. */
export function optional<T>(value: unknown, field: string, read: (value: unknown, field: string) => T): T | undefined {
    return value === undefined || value === null ? undefined : read(value, field);
}

export function asObject(value: unknown, field: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw new BadAnswer(field, value, "an object");
    }
    return value as Fields;
}

/** Reads a list. Go also writes an empty list as null. */
export function asArray(value: unknown, field: string): unknown[] {
    if (value === null) {
        return [];
    }
    if (!Array.isArray(value)) {
        throw new BadAnswer(field, value, "a list");
    }
    return value;
}

export function asText(value: unknown, field: string): string {
    if (typeof value !== "string") {
        throw new BadAnswer(field, value, "text");
    }
    return value;
}

export function asTexts(value: unknown, field: string): string[] {
    return asArray(value, field).map((element, index) => asText(element, `${field}[${index}]`));
}

/** Reads a boolean. PD writes several of them as text. */
export function asBoolean(value: unknown, field: string): boolean {
    if (value === true || value === "true") {
        return true;
    }
    if (value === false || value === "false") {
        return false;
    }
    throw new BadAnswer(field, value, "true or false");
}

/**
 * Reads a non-negative whole number that a JavaScript number can hold: a count, or an id that PD allocates one by one.
 */
export function asCount(value: unknown, field: string): number {
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
        throw new BadAnswer(field, value, "a whole number from 0 to 2^53-1");
    }
    return value;
}

/** Reads a share: a number from 0 to 1. */
export function asShare(value: unknown, field: string): number {
    if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
        throw new BadAnswer(field, value, "a number from 0 to 1");
    }
    return value;
}

/** Reads an unsigned 64-bit number, as decimal digits. */
export function asUint64(value: unknown, field: string): string {
    const isWhole = typeof value === "bigint" || Number.isSafeInteger(value);
    if (!isWhole || (value as number | bigint) < 0 || BigInt(value as number | bigint) >= 2n ** 64n) {
        throw new BadAnswer(field, value, "an unsigned 64-bit number");
    }
    return String(value);
}
