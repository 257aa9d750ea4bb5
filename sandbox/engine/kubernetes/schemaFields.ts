import { isObject, mapValues, type PropertyValue } from "../values";

/**
 * Fields of a CustomResourceDefinition's schema that contain dashes. The SDK writes them with underscores, because
 * dashes are not allowed in names of a program (pulumi-kubernetes, provider/pkg/provider/provider.go
 * underscoreToDashMap).
 */
const dashed = [
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

const toServer: Readonly<Record<string, string>> = Object.fromEntries(
    dashed.map((name) => [name.replace(/-/g, "_"), name]),
);
const toProgram: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(toServer).map(([underscored, name]) => [name, underscored]),
);

/** Returns the object with the server's names for these fields. */
export function withServerNames<T>(object: T): T {
    return renamed(object as PropertyValue, toServer) as T;
}

/** Returns the object with the program's names for these fields. */
export function withProgramNames<T>(object: T): T {
    return renamed(object as PropertyValue, toProgram) as T;
}

function renamed(value: PropertyValue, names: Readonly<Record<string, string>>): PropertyValue {
    if (Array.isArray(value)) {
        return value.map((element) => renamed(element, names));
    }
    if (!isObject(value)) {
        return value;
    }
    const inner = mapValues(value, (element) => renamed(element, names));
    return Object.fromEntries(Object.entries(inner).map(([key, element]) => [names[key] ?? key, element]));
}
