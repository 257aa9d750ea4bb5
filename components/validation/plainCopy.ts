import { isMap } from "../plainMap";
import { specError, type SpecProblem } from "../problem";
import { fieldName, type Path, shown } from "./path";

/** The most levels of nested maps and lists. A real manifest has about ten. */
const maxDepth = 64;

/** The most values in a manifest. A shared value counts each time it appears, because a small text can expand to a huge one. */
const maxValues = 500_000;

/** A copy of a value, and errors about the parts that could not be copied. */
export interface PlainCopy {
    readonly copy: unknown;
    readonly problems: SpecProblem[];
}

/**
 * Copies a value that consists of JSON types. A field that is null or undefined counts as not set, as it does for the API
 * server. Anything else is an error: a function, a date, a Pulumi Output.
 */
export function plainCopy(value: unknown): PlainCopy {
    const problems: SpecProblem[] = [];
    return { copy: copyOf(value, [], { problems, within: new Set(), count: 0 }), problems };
}

interface Progress {
    readonly problems: SpecProblem[];
    /** The maps and lists that contain the current value. */
    readonly within: Set<unknown>;
    count: number;
}

function copyOf(value: unknown, path: Path, progress: Progress): unknown {
    const { problems } = progress;
    if (Array.isArray(value) || isMap(value)) {
        const limit = exceededLimit(value, path, progress);
        if (limit !== undefined) {
            problems.push(specError(fieldName(path), ...limit));
            return undefined;
        }
        progress.within.add(value);
        const copy = Array.isArray(value) ? listCopy(value, path, progress) : mapCopy(value, path, progress);
        progress.within.delete(value);
        return copy;
    }
    if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") {
        return value ?? undefined;
    }
    if (typeof value === "number" && Number.isFinite(value)) {
        return value;
    }
    problems.push(
        specError(
            fieldName(path),
            shown(value),
            "a value that YAML can express: text, a number, true or false, a list or a map",
        ),
    );
    return undefined;
}

function listCopy(list: unknown[], path: Path, progress: Progress): unknown[] {
    // An empty item stays in the list, so the other items keep their indexes in messages.
    return Array.from(list, (item, index) => copyOf(item, [...path, index], progress) ?? null);
}

function mapCopy(map: Record<string, unknown>, path: Path, progress: Progress): Record<string, unknown> {
    const copied = Object.entries(map).map(([key, inner]) => [key, copyOf(inner, [...path, key], progress)]);
    return Object.fromEntries(copied.filter(([, inner]) => inner !== undefined)) as Record<string, unknown>;
}

/** @returns what was found and what was expected if a map or list cannot be copied. */
function exceededLimit(value: object, path: Path, progress: Progress): [found: string, expected: string] | undefined {
    progress.count += Object.keys(value).length;
    if (progress.within.has(value)) {
        return ["a value that contains itself", "a value without a cycle"];
    }
    if (path.length > maxDepth) {
        return [`more than ${maxDepth} nested levels`, `at most ${maxDepth}`];
    }
    return progress.count > maxValues ? [`more than ${maxValues} values`, `at most ${maxValues}`] : undefined;
}
