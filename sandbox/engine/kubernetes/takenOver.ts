import { isObject, type PropertyMap, type PropertyValue } from "../values";

/** Who owns which fields of an object, as the API server writes it. */
export interface ManagedFields {
    manager: string;
    operation?: string;
    subresource?: string;
    fieldsV1?: PropertyMap;
    [field: string]: unknown;
}

/**
 * Whose fields an update takes over before it applies the object, by the beginning of their names (pulumi-kubernetes, await.go
 * fixCSAFieldManagers). The operation `Update` is that of calls other than server-side apply.
 */
const takenOver = [
    ["kubectl", "Apply"],
    ["kubectl", "Update"],
    ["before-first-apply", "Update"],
    ["pulumi-kubernetes", "Update"],
    ["pulumi-resource-kubernetes", "Update"],
] as const;

/**
 * @returns the owners of an object's fields once the manager has taken over those of kubectl: what it then applies without is taken out.
 * Undefined if there is nothing to take over.
 */
export function withFieldsTakenOver(
    managed: readonly ManagedFields[],
    fieldManager: string,
): ManagedFields[] | undefined {
    const isOwn = (one: ManagedFields) => one.manager === fieldManager && one.operation === "Apply";
    const goes = managed.filter(
        (one) =>
            !isOwn(one) &&
            !one.subresource &&
            takenOver.some(([name, operation]) => one.manager.startsWith(name) && one.operation === operation),
    );
    if (goes.length === 0) {
        return undefined;
    }
    const own = managed.find(isOwn) ?? { ...goes[0], manager: fieldManager, operation: "Apply" };
    const fieldsV1 = goes.reduce<PropertyMap>((all, one) => merged(all, one.fieldsV1 ?? {}), own.fieldsV1 ?? {});
    return [...managed.filter((one) => !isOwn(one) && !goes.includes(one)), { ...own, fieldsV1 }];
}

function merged(one: PropertyMap, other: PropertyMap): PropertyMap {
    const both = Object.entries(other).map(([key, value]): [string, PropertyValue] => {
        const known = one[key];
        return [key, isObject(known) && isObject(value) ? merged(known, value) : value];
    });
    return { ...one, ...Object.fromEntries(both) };
}
