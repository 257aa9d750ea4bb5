import { isMap } from "../plainMap";

/** Path of a value in a manifest: keys of maps and indexes of lists. */
export type Path = readonly (string | number)[];

/** @returns a path as text: `spec.pd.env[0].name`. */
export function fieldName(path: Path): string {
    return path
        .map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`))
        .join("");
}

/** @returns the path for a JSON pointer into a value: `/spec/pd/env/0`. */
export function pathOf(pointer: string, root: unknown): Path {
    const path: (string | number)[] = [];
    let value: unknown = root;
    for (const part of pointer.split("/").slice(1)) {
        const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
        path.push(Array.isArray(value) ? Number(key) : key);
        value = child(value, key);
    }
    return path;
}

/** Removes the value at a path. An item of a list is replaced instead, so the other items keep their indexes. */
export function removeAt(root: unknown, path: Path, replacement: unknown): void {
    const parent = path.slice(0, -1).reduce<unknown>((value, part) => child(value, String(part)), root);
    const last = path[path.length - 1];
    if (Array.isArray(parent) && typeof last === "number") {
        parent[last] = replacement;
    } else if (isMap(parent)) {
        delete parent[String(last)];
    }
}

/** @returns a value as it is shown in a message: shortened, and lists, maps and objects only by their kind. */
export function shown(value: unknown): string {
    if (value === undefined || value === null) {
        return "nothing";
    }
    if (Array.isArray(value)) {
        return value.length === 0 ? "an empty list" : `a list of ${value.length} item${value.length === 1 ? "" : "s"}`;
    }
    if (typeof value === "object") {
        // Pulumi's own mark: importing its class here would load its SDK for commands that do not need it.
        if ("__pulumiOutput" in value) {
            return "an Output";
        }
        return isMap(value) ? "a map" : `an object of type ${value.constructor.name}`;
    }
    if (typeof value === "function" || typeof value === "symbol") {
        return `a ${typeof value}`;
    }
    const text = typeof value === "string" ? JSON.stringify(value) : String(value);
    return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** @returns a value as it is shown if text is not expected: text is named as such, so `the text "4"` is not mistaken for 4. */
export function shownWithKind(value: unknown): string {
    return typeof value === "string" ? `the text ${shown(value)}` : shown(value);
}

function child(value: unknown, key: string): unknown {
    return typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined;
}
