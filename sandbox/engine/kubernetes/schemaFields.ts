import { isObject, mapValues, type PropertyValue } from "../values";

/**
 * The fields of a CustomResourceDefinition's schema that have dashes: the SDK writes them with underscores, as names of a
 * program are (pulumi-kubernetes, provider/pkg/provider/provider.go underscoreToDashMap).
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

/** The object with the names of those fields as the server has them. */
export function withServerNames<T>(object: T): T {
    return renamed(object as PropertyValue, toServer) as T;
}

/** The object with the names of those fields as programs have them. */
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
