import { deepEqual, isObject, type PropertyMap, type PropertyValue } from "../values";

/**
 * Cuts a live object down to the fields that the inputs have. A field that the server filled in is not an input, and
 * neither is a list element beyond those of the inputs (pulumi-kubernetes, provider/pkg/provider/util.go pruneMap).
 */
export function pruneTo(live: PropertyValue | undefined, shape: PropertyValue): PropertyValue | undefined {
    if (isObject(shape) && isObject(live)) {
        const entries = Object.entries(shape)
            .map(([key, value]) => [key, pruneTo(live[key], value)] as const)
            .filter((entry): entry is readonly [string, PropertyValue] => entry[1] !== undefined);
        return Object.fromEntries(entries);
    }
    if (Array.isArray(shape) && Array.isArray(live)) {
        return shape.slice(0, live.length).map((element, index) => pruneTo(live[index], element) ?? null);
    }
    return live;
}

/**
 * Returns the two sides of a diff as pulumi-kubernetes does (provider/pkg/provider/provider.go Diff): the server's
 * version of the old inputs, and the new inputs. An input that the server does not keep as written is therefore a
 * change on every update. In an object of a built-in type, an empty value that the server drops counts as absent. In
 * other objects it counts as a value.
 */
export function comparedInputs(
    oldInputs: PropertyMap,
    oldOutputs: PropertyMap,
    news: PropertyMap,
): { before: PropertyMap; after: PropertyMap } {
    const after = isBuiltIn(String(news.apiVersion)) ? withoutDropped(news, oldInputs, oldOutputs) : news;
    return {
        before: pruneTo(oldOutputs, oldInputs) as PropertyMap,
        after: inScopeOf(oldOutputs, after as PropertyMap),
    };
}

/** Returns the new inputs without the empty values that the server dropped or would drop. */
function withoutDropped(
    news: PropertyValue,
    olds: PropertyValue | undefined,
    live: PropertyValue | undefined,
): PropertyValue {
    if (isObject(news)) {
        const [old, kept] = [isObject(olds) ? olds : {}, isObject(live) ? live : {}];
        const isDropped = (key: string, value: PropertyValue): boolean =>
            kept[key] === undefined && isEmpty(value) && (isOmitted(key, value) || deepEqual(value, old[key]));
        const entries = Object.entries(news)
            .filter(([key, value]) => !isDropped(key, value))
            .map(([key, value]) => [key, withoutDropped(value, old[key], kept[key])] as const);
        return Object.fromEntries(entries);
    }
    if (Array.isArray(news)) {
        const [old, kept] = [Array.isArray(olds) ? olds : [], Array.isArray(live) ? live : []];
        return news.map((element, index) => withoutDropped(element, old[index], kept[index]));
    }
    return news;
}

function isEmpty(value: PropertyValue): boolean {
    return typeof value === "object" && value !== null ? Object.keys(value).length === 0 : !value;
}

/**
 * Fields for which the server treats `false` or 0 as absent. For other fields it is a value: user 0 differs from no
 * user.
 */
const omittedZeros = [
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "minReadySeconds",
    "publishNotReadyAddresses",
    "readOnly",
    "stdin",
    "stdinOnce",
    "tty",
];

function isOmitted(key: string, empty: PropertyValue): boolean {
    return !["boolean", "number"].includes(typeof empty) || omittedZeros.includes(key);
}

/** Removes the namespace from the inputs if the object has none because its kind has no namespaces. */
function inScopeOf(live: PropertyMap, news: PropertyMap): PropertyMap {
    const { namespace, ...metadata } = isObject(news.metadata) ? news.metadata : {};
    const isNamespaced = namespace === undefined || !isObject(live.metadata) || live.metadata.namespace !== undefined;
    return isNamespaced ? news : { ...news, metadata };
}

/** Kubernetes' own API groups have no dot or one of these names. */
const builtInGroups = [
    "admissionregistration",
    "apiextensions",
    "apiregistration",
    "certificates",
    "coordination",
    "discovery",
    "events",
    "flowcontrol.apiserver",
    "networking",
    "node",
    "rbac.authorization",
    "resource",
    "scheduling",
    "storage",
    "storagemigration",
].map((name) => `${name}.k8s.io`);

function isBuiltIn(apiVersion: string): boolean {
    const [group = "", version] = apiVersion.split("/");
    return version === undefined || !group.includes(".") || builtInGroups.includes(group);
}
