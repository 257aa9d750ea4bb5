import {
    deepEqual,
    isObject,
    isSecret,
    maskSecrets,
    type PropertyMap,
    type PropertyValue,
    unknownValue,
} from "./values";

/** One property that differs. It was added if `before` is absent, and removed if `after` is absent. */
export interface PropertyChange {
    path: string;
    before?: PropertyValue;
    after?: PropertyValue;
}

/**
 * Returns every property that differs between two sets of inputs, by its path (`spec.ports[0].port`), in the order of
 * the new inputs. Arrays are compared element by element, as Pulumi does. Pulumi's internal properties (`__provider`)
 * are left out.
 */
export function diffProperties(before: PropertyMap, after: PropertyMap): PropertyChange[] {
    return diffObjects("", before, after);
}

function diffObjects(path: string, before: PropertyMap, after: PropertyMap): PropertyChange[] {
    const keys = [...Object.keys(after), ...Object.keys(before).filter((key) => !(key in after))];
    return keys
        .filter((key) => !(path === "" && key.startsWith("__")))
        .flatMap((key) => diffValues(joinPath(path, key), before[key], after[key]));
}

function diffValues(
    path: string,
    before: PropertyValue | undefined,
    after: PropertyValue | undefined,
): PropertyChange[] {
    if (deepEqual(before, after)) {
        return [];
    }
    if (isObject(before) && isObject(after) && !isSecret(before) && !isSecret(after)) {
        return diffObjects(path, before, after);
    }
    if (Array.isArray(before) && Array.isArray(after)) {
        const length = Math.max(before.length, after.length);
        return Array.from({ length }, (_, index) => index).flatMap((index) =>
            diffValues(`${path}[${index}]`, before[index], after[index]),
        );
    }
    return [
        {
            path,
            ...(before === undefined ? {} : { before: maskSecrets(before) }),
            ...(after === undefined ? {} : { after: maskSecrets(after) }),
        },
    ];
}

function joinPath(path: string, key: string): string {
    if (/[.[\]"]/.test(key)) {
        return `${path}["${key.replace(/"/g, '\\"')}"]`;
    }
    return path === "" ? key : `${path}.${key}`;
}

/** Formats the changes like `pulumi preview --diff`: one line per property, with longer values on their own lines. */
export function renderChanges(changes: PropertyChange[], indent: string): string[] {
    return changes.flatMap(({ path, before, after }) => {
        if (before === undefined) {
            return `${indent}+ ${path}: ${renderValue(after, indent)}`.split("\n");
        }
        if (after === undefined) {
            return `${indent}- ${path}: ${renderValue(before, indent)}`.split("\n");
        }
        return `${indent}~ ${path}: ${renderValue(before, indent)} => ${renderValue(after, indent)}`.split("\n");
    });
}

function renderValue(value: PropertyValue | undefined, indent: string): string {
    if (value === unknownValue) {
        return "[unknown]";
    }
    const text = JSON.stringify(value, (_, element) => (element === unknownValue ? "[unknown]" : element), 4);
    return text.replace(/\n/g, `\n${indent}  `);
}

/** Lists the top-level properties that differ, as the one-line display shows them: `[diff: ~plan,+policy]`. */
export function summarizeChanges(changes: PropertyChange[]): string {
    const marks = new Map<string, string>();
    for (const { path, before, after } of changes) {
        const top = /^[^.[]*/.exec(path)?.[0] || path;
        const mark =
            top !== path || (before !== undefined && after !== undefined) ? "~" : before === undefined ? "+" : "-";
        marks.set(top, marks.get(top) === undefined || marks.get(top) === mark ? mark : "~");
    }
    return [...marks].map(([name, mark]) => `${mark}${name}`).join(",");
}
