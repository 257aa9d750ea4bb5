import { specError, type SpecProblem } from "../problem";
import { fieldName, isMap, type Path, shown } from "./path";

const deepest = 64;

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
    return { copy: copyOf(value, [], problems), problems };
}

function copyOf(value: unknown, path: Path, problems: SpecProblem[]): unknown {
    if (path.length > deepest) {
        problems.push(specError(fieldName(path), `more than ${deepest} levels`, "a manifest"));
        return undefined;
    }
    if (Array.isArray(value)) {
        // An item that is nothing keeps its place, so that the others are named by theirs.
        return Array.from(value, (item, index) => copyOf(item, [...path, index], problems) ?? null);
    }
    if (isMap(value)) {
        const copied = Object.entries(value).map(([key, inner]) => [key, copyOf(inner, [...path, key], problems)]);
        return Object.fromEntries(copied.filter(([, inner]) => inner !== undefined));
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
