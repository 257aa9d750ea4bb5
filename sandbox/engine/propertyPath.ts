import { isObject, type PropertyMap, type PropertyValue } from "./values";

/** A path as `ignoreChanges` takes it, in pieces: `spec.volumeClaimTemplates[0]["a.b"]`; `*` stands for any. */
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

/** Whether `path` names the property `candidate` or something that holds it. */
export function pathContains(path: string, candidate: string): boolean {
    const outer = parsePropertyPath(path);
    const inner = parsePropertyPath(candidate);
    return outer.length <= inner.length && outer.every((piece, index) => piece === "*" || piece === inner[index]);
}

/** The new inputs with every ignored property put back to what it was, or taken away where it was not there. */
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
