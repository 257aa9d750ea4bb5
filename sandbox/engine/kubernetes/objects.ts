import { randomBytes } from "node:crypto";
import { isObject, makeSecret, mapValues, type PropertyMap, unknownValue } from "../values";
import { type KubernetesObject } from "./client";
import { canonicalQuantities } from "./quantity";

const autonamed = "pulumi.com/autonamed";
const skipAwait = "pulumi.com/skipAwait";

/** Metadata fields that only the API server sets. */
const readOnly = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
];

/** Views properties as a Kubernetes object. Both are the same value: a change to one changes the other. */
export function asObject(properties: PropertyMap): KubernetesObject {
    return properties as unknown as KubernetesObject;
}

/** Returns the inputs to keep: with a name, in the server's notation, and without fields that only the server sets. */
export function normalizeInputs(news: PropertyMap, olds: PropertyMap | undefined, resourceName: string): PropertyMap {
    const result = encodeSecret(canonicalQuantities(structuredClone(news)));
    const metadata = isObject(result.metadata) ? result.metadata : {};
    result.metadata = metadata;
    readOnly.forEach((field) => delete metadata[field]);
    if (metadata.name === undefined || metadata.name === null || metadata.name === "") {
        const oldName = olds !== undefined && isAutonamed(olds) ? asObject(olds).metadata.name : undefined;
        metadata.name = oldName ?? `${resourceName}-${randomBytes(4).toString("hex")}`;
        metadata.annotations = { ...(isObject(metadata.annotations) ? metadata.annotations : {}), [autonamed]: "true" };
    }
    return result;
}

/** The server stores the clear text of a Secret as base64. */
function encodeSecret({ stringData, ...properties }: PropertyMap): PropertyMap {
    if (properties.kind !== "Secret" || !isObject(stringData)) {
        return stringData === undefined ? properties : { ...properties, stringData };
    }
    const encoded = mapValues(stringData, (value) =>
        typeof value === "string" && value !== unknownValue ? Buffer.from(value).toString("base64") : value,
    );
    return { ...properties, data: { ...(isObject(properties.data) ? properties.data : {}), ...encoded } };
}

/** Returns an annotation. Undefined if it does not exist or its value is not known yet. */
export function annotation(properties: PropertyMap, name: string): string | undefined {
    const value = asObject(properties).metadata?.annotations?.[name];
    return typeof value === "string" ? value : undefined;
}

/** Whether the engine generated the name because the program gave none. */
export function isAutonamed(properties: PropertyMap): boolean {
    return annotation(properties, autonamed) === "true";
}

/** Whether to skip waiting until the object is ready or gone (`pulumi.com/skipAwait`). */
export function skipsAwait(properties: PropertyMap): boolean {
    return annotation(properties, skipAwait) === "true";
}

/**
 * Returns the outputs of an object: the live object, plus the inputs and the field manager, as pulumi-kubernetes keeps
 * them. The data of a Secret is always secret.
 */
export function checkpoint(live: KubernetesObject, inputs: PropertyMap, fieldManager: string): PropertyMap {
    const outputs = { ...(live as unknown as PropertyMap) };
    return {
        ...hideSecretData(outputs),
        __inputs: hideSecretData(inputs),
        __initialApiVersion: inputs.apiVersion ?? live.apiVersion,
        __fieldManager: fieldManager,
    };
}

/** Marks the data of a Secret as secret. Leaves other kinds unchanged. */
export function hideSecretData(properties: PropertyMap): PropertyMap {
    if (properties.kind !== "Secret") {
        return properties;
    }
    const hidden = { ...properties };
    for (const field of ["data", "stringData"]) {
        if (hidden[field] !== undefined) {
            hidden[field] = makeSecret(hidden[field]);
        }
    }
    return hidden;
}

/** The id as pulumi-kubernetes defines it: `namespace/name`, or only the name. */
export function idOf(object: KubernetesObject): string {
    const { name, namespace } = object.metadata;
    return namespace === undefined || namespace === "" ? (name ?? "") : `${namespace}/${name}`;
}

/** Splits an id made by `idOf`. */
export function parseId(id: string): { namespace?: string; name: string } {
    const [first = "", second] = id.split("/");
    return second === undefined ? { name: first } : { namespace: first, name: second };
}
