/**
 * Returns what kind of answer a value is: the fields that it has, whether each fact in it is known, its states and its booleans; without ids, counts,
 * times, names and reasons, in which two clusters differ.
 */
export function shapeOf(value: unknown): unknown {
    if (Array.isArray(value)) {
        return oneOfEach(value.map(shapeOf));
    }
    if (value instanceof Map || value instanceof Set) {
        return shapeOf([...value.values()]);
    }
    if (typeof value === "object" && value !== null) {
        const entries = Object.entries(value).filter(([, one]) => one !== undefined);
        if ("known" in value && value.known === false) {
            return "not known";
        }
        if (entries.length > 0 && entries.every(([key]) => isName(key))) {
            return { "each name": oneOfEach(entries.map(([, one]) => shapeOf(one))) };
        }
        return Object.fromEntries(
            entries.map(([key, one]) => [key, shapeOf(one)] as const).sort(([a], [b]) => a.localeCompare(b)),
        );
    }
    return typeof value === "string"
        ? isState(value)
            ? value
            : "text"
        : typeof value === "boolean"
          ? value
          : typeof value;
}

/** The differences of two shapes, as paths with both sides. */
export function shapeDifferences(one: unknown, other: unknown, path = ""): string[] {
    if (JSON.stringify(one) === JSON.stringify(other)) {
        return [];
    }
    if (isObject(one) && isObject(other)) {
        const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
        return keys.flatMap((key) => shapeDifferences(one[key], other[key], path === "" ? key : `${path}.${key}`));
    }
    return [`${path}: ${JSON.stringify(one) ?? "absent"} / ${JSON.stringify(other) ?? "absent"}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A pod's or store's name or id, which is a key where answers are kept by it. */
function isName(key: string): boolean {
    return /^\d+$|-\d+$/.test(key);
}

/** A state has a word: `Up`, `Tombstone`, `running`. */
function isState(text: string): boolean {
    return /^([A-Z][a-z]+|running|waiting|ended)$/.test(text);
}

function oneOfEach(shapes: unknown[]): unknown {
    const texts = [...new Set(shapes.map((shape) => JSON.stringify(shape)))].sort();
    const different = texts.map((text) => JSON.parse(text ?? "null") as unknown);
    return different.length === 1 ? { each: different[0] } : different;
}
