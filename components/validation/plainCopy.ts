import { isMap } from "../plainMap";
import { specError, type SpecProblem } from "../problem";
import { fieldName, type Path, shown } from "./path";

/** Maps and lists in one another. A manifest has ten or so. */
const deepest = 64;

/** Values that a manifest may have, each as often as it appears: what is small may stand for something huge. */
const mostValues = 500_000;

/** A copy of a value, and what could not be copied. */
export interface PlainCopy {
    readonly copy: unknown;
    readonly problems: SpecProblem[];
}

/**
 * Copies a value as far as JSON can say it. A field that is null or undefined is one that is not there, as for the API
 * server. Anything else, a function, a date, a Pulumi output, is an error.
 */
export function plainCopy(value: unknown): PlainCopy {
    const problems: SpecProblem[] = [];
    return { copy: copyOf(value, [], { problems, within: new Set(), count: 0 }), problems };
}

interface Progress {
    readonly problems: SpecProblem[];
    /** The maps and lists around a value. */
    readonly within: Set<unknown>;
    count: number;
}

function copyOf(value: unknown, path: Path, progress: Progress): unknown {
    const { problems } = progress;
    if (Array.isArray(value) || isMap(value)) {
        const trouble = troubleOf(value, path, progress);
        if (trouble !== undefined) {
            problems.push(specError(fieldName(path), trouble, "a manifest"));
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
    problems.push(specError(fieldName(path), shown(value), "a value that YAML can say: text, a number, a list, a map"));
    return undefined;
}

function listCopy(list: unknown[], path: Path, progress: Progress): unknown[] {
    // An item that is nothing keeps its place, so that the others are named by theirs.
    return Array.from(list, (item, index) => copyOf(item, [...path, index], progress) ?? null);
}

function mapCopy(map: Record<string, unknown>, path: Path, progress: Progress): Record<string, unknown> {
    const copied = Object.entries(map).map(([key, inner]) => [key, copyOf(inner, [...path, key], progress)]);
    return Object.fromEntries(copied.filter(([, inner]) => inner !== undefined)) as Record<string, unknown>;
}

/** Why a map or list cannot be copied, where it cannot. */
function troubleOf(value: object, path: Path, progress: Progress): string | undefined {
    progress.count += Object.keys(value).length;
    if (progress.within.has(value)) {
        return "a value that contains itself";
    }
    return path.length > deepest
        ? `more than ${deepest} levels`
        : progress.count > mostValues
          ? `more than ${mostValues} values`
          : undefined;
}
