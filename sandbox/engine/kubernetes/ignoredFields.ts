import { parsePropertyPath } from "../propertyPath";
import { isObject, type PropertyValue } from "../values";
import { type KubernetesObject } from "./client";

interface ManagedFields {
    manager: string;
    fieldsV1?: Record<string, unknown>;
}

/**
 * Returns an object as it is applied when some of its fields are under `ignoreChanges`. A field that only other
 * managers own is left out. Any other field keeps its current value from the cluster (pulumi-kubernetes, await.go
 * handleSSAIgnoreFields).
 */
export function dropForeignFields(
    object: KubernetesObject,
    live: KubernetesObject,
    fieldManager: string,
    ignoreChanges: string[],
): KubernetesObject {
    const managed = (live.metadata.managedFields ?? []) as ManagedFields[];
    const owns = (fields: ManagedFields, path: (string | number)[]): boolean => owned(fields.fieldsV1, path);
    for (const ignored of ignoreChanges) {
        const path = parsePropertyPath(ignored);
        if (path.some((piece) => typeof piece === "number" || piece === "*")) {
            // An element of a list cannot be matched with its owner by its index.
            continue;
        }
        const ours = managed.some((fields) => fields.manager === fieldManager && owns(fields, path));
        const theirs = managed.some((fields) => fields.manager !== fieldManager && owns(fields, path));
        const value = theirs && !ours ? undefined : valueAt(live as unknown as PropertyValue, path);
        if ((theirs && !ours) || value !== undefined) {
            setAt(object as unknown as PropertyValue, path, value);
        }
    }
    return object;
}

function owned(fields: unknown, path: (string | number)[]): boolean {
    const [piece, ...rest] = path;
    if (piece === undefined) {
        return true;
    }
    const inner = (fields as Record<string, unknown> | undefined)?.[`f:${piece}`];
    return inner !== undefined && owned(inner, rest);
}

function valueAt(value: PropertyValue | undefined, path: (string | number)[]): PropertyValue | undefined {
    return path.reduce<PropertyValue | undefined>(
        (current, piece) => (isObject(current) ? current[piece] : undefined),
        value,
    );
}

function setAt(target: PropertyValue, path: (string | number)[], value: PropertyValue | undefined): void {
    const parent = valueAt(target, path.slice(0, -1));
    const last = path[path.length - 1];
    if (!isObject(parent) || last === undefined) {
        return;
    }
    if (value === undefined) {
        delete parent[last];
    } else {
        parent[last] = value;
    }
}
