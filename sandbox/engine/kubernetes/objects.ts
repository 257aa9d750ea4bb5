import { randomBytes } from "node:crypto";
import { isObject, makeSecret, mapValues, type PropertyMap, unknownValue } from "../values";
import { type KubernetesObject } from "./client";
import { canonicalQuantities } from "./quantity";

const autonamed = "pulumi.com/autonamed";
const skipAwait = "pulumi.com/skipAwait";

/** Fields of the metadata that only the API server sets. */
const readOnly = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
];

/** Properties, read as an object of Kubernetes. They are the same value: a change of one is a change of the other. */
export function asObject(properties: PropertyMap): KubernetesObject {
    return properties as unknown as KubernetesObject;
}

/** The inputs as they are kept: with a name, in the server's own writing, and without what only the server sets. */
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

/** The server keeps the clear text of a Secret as base64. */
function encodeSecret({ stringData, ...properties }: PropertyMap): PropertyMap {
    if (properties.kind !== "Secret" || !isObject(stringData)) {
        return stringData === undefined ? properties : { ...properties, stringData };
    }
    const encoded = mapValues(stringData, (value) =>
        typeof value === "string" && value !== unknownValue ? Buffer.from(value).toString("base64") : value,
    );
    return { ...properties, data: { ...(isObject(properties.data) ? properties.data : {}), ...encoded } };
}

/** An annotation; undefined where there is none, or where its value is not known yet. */
export function annotation(properties: PropertyMap, name: string): string | undefined {
    const value = asObject(properties).metadata?.annotations?.[name];
    return typeof value === "string" ? value : undefined;
}

/** Whether the engine made the name up, because the program gave none. */
export function isAutonamed(properties: PropertyMap): boolean {
    return annotation(properties, autonamed) === "true";
}

/** Whether nobody waits for the object to be ready, or to be gone (`pulumi.com/skipAwait`). */
export function skipsAwait(properties: PropertyMap): boolean {
    return annotation(properties, skipAwait) === "true";
}

/**
 * The outputs of an object: what the server holds, and beside it what was asked for and by which field manager, as
 * pulumi-kubernetes keeps them. The data of a Secret is secret whatever the program says.
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

/** The properties with the data of a Secret marked as secret; of any other kind, as they are. */
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

/** The id that pulumi-kubernetes gives: `namespace/name`, or the name alone. */
export function idOf(object: KubernetesObject): string {
    const { name, namespace } = object.metadata;
    return namespace === undefined || namespace === "" ? (name ?? "") : `${namespace}/${name}`;
}

/** An id of `idOf` in its parts. */
export function parseId(id: string): { namespace?: string; name: string } {
    const [first = "", second] = id.split("/");
    return second === undefined ? { name: first } : { namespace: first, name: second };
}
