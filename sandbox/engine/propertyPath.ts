import { isObject, type PropertyMap, type PropertyValue } from "./values";

/**
 * Splits a path as used by `ignoreChanges`, such as `spec.volumeClaimTemplates[0]["a.b"]`. `*` matches any property.
 */
export function parsePropertyPath(path: string): (string | number)[] {
    const pieces: (string | number)[] = [];
    const pattern = /\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]|([^.[\]]+)/g;
    for (const [, quoted, index, name] of path.matchAll(pattern)) {
        if (quoted !== undefined) {
            pieces.push(quoted.replace(/\\"/g, '"'));
        } else if (index !== undefined) {
            pieces.push(index === "*" ? "*" : Number(index));
        } else if (name !== undefined) {
            pieces.push(name);
        }
    }
    return pieces;
}

/** Whether `path` is the property `candidate` or contains it. */
export function pathContains(path: string, candidate: string): boolean {
    const outer = parsePropertyPath(path);
    const inner = parsePropertyPath(candidate);
    return outer.length <= inner.length && outer.every((piece, index) => piece === "*" || piece === inner[index]);
}

/** Returns the new inputs with every ignored property reset to its old value, or removed if it had none. */
export function applyIgnoreChanges(news: PropertyMap, olds: PropertyMap, ignoreChanges: string[]): PropertyMap {
    const result = structuredClone(news);
    for (const path of ignoreChanges) {
        resetPath(result, olds, parsePropertyPath(path));
    }
    return result;
}

function resetPath(
    target: PropertyValue | undefined,
    source: PropertyValue | undefined,
    path: (string | number)[],
): void {
    const [piece, ...rest] = path;
    if (piece === undefined || !(isObject(target) || Array.isArray(target))) {
        return;
    }
    const container = target as Record<string | number, PropertyValue>;
    const original = (isObject(source) || Array.isArray(source) ? source : {}) as Record<
        string | number,
        PropertyValue
    >;
    const keys = piece === "*" ? new Set([...Object.keys(container), ...Object.keys(original)]) : [piece];
    for (const key of keys) {
        if (rest.length > 0) {
            resetPath(container[key], original[key], rest);
        } else if (original[key] !== undefined) {
            container[key] = structuredClone(original[key]);
        } else {
            delete container[key];
        }
    }
}
