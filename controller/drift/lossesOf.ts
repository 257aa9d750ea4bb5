import type { V1ManagedFieldsEntry } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { isDeepStrictEqual } from "node:util";
import { type FieldPath, isPulumis, isTakenOver, lostFields } from "../../provider/cluster/lostFields";

/** What somebody else wrote on an object, and is lost. The fields are paths, without values: they may be secret. */
export interface Loss {
    readonly manager: string;
    readonly fields: readonly string[];
}

/** What others wrote on an object, and what of it is lost when the Kubernetes provider writes it. */
export interface Losses {
    readonly updated: readonly Loss[];
    /** If it is deleted and made anew: what anybody else wrote. */
    readonly replaced: readonly Loss[];
    /** What the program has, and others alone own: they have changed it. As paths. */
    readonly changed: readonly string[];
}

/**
 * Returns what others wrote, the program does not have, and is lost when the object is written; undefined if it is not known.
 * @param live the live object.
 * @param inputs what the program has. Of what is secret it is not known, so that counts as what the program does not have.
 */
export function lossesOf(live: unknown, inputs: unknown): Losses | undefined {
    const managedFields = valueAt(live, ["f:metadata", "f:managedFields"]);
    if (!Array.isArray(managedFields) || managedFields.length === 0) {
        return undefined;
    }
    const lost = (goes: (entry: V1ManagedFieldsEntry) => boolean): Loss[] =>
        lostFields(managedFields as V1ManagedFieldsEntry[], goes)
            .map(({ entry, fields }) => ({
                manager: entry.manager ?? "somebody",
                fields: fields.filter((path) => !keeps(inputs, live, path)).map(pathInWords),
            }))
            .filter(({ fields }) => fields.length > 0);
    const isOthers = (entry: V1ManagedFieldsEntry): boolean => !isPulumis(entry);
    const changed = lostFields(managedFields as V1ManagedFieldsEntry[], isOthers).flatMap(({ fields }) => fields);
    return {
        updated: lost(isTakenOver),
        // All of it goes. Another stack's manager is named as this one's.
        replaced: lost(() => true),
        changed: changed.filter((path) => valueAt(inputs, path) !== undefined).map(pathInWords),
    };
}

/** Whether a field is still there, with all that is in it, once the program's value has been written. */
function keeps(inputs: unknown, live: unknown, path: FieldPath): boolean {
    const value = valueAt(inputs, path);
    if (value === undefined || path.at(-1) === ".") {
        return value !== undefined;
    }
    // One manager owns the whole of a list without keys, also what it has added to the program's elements.
    return typeof value === "object" || value === secret ? covers(value, valueAt(live, path)) : true;
}

/** What Pulumi shows in the place of a secret value. */
const secret = "[secret]";

/** Whether a value has all that a live one has. Of what is secret, or not there, that is not known. */
function covers(value: unknown, live: unknown): boolean {
    if (Array.isArray(value)) {
        return Array.isArray(live) && live.every((one) => value.some((other) => covers(other, one)));
    }
    return isRecord(value)
        ? isRecord(live) && Object.entries(live).every(([key, one]) => covers(value[key], one))
        : value !== undefined && value !== secret && value === live;
}

/** Returns a field; undefined if there is none. An element of a list is known by its keys, of which the program may leave out those with a default. */
function valueAt(value: unknown, [first, ...rest]: FieldPath): unknown {
    if (first === undefined || first === ".") {
        return value ?? undefined;
    }
    const [kind, name] = partsOf(first);
    if (kind === "f") {
        return isRecord(value) ? valueAt(value[name], rest) : undefined;
    }
    if (!Array.isArray(value) || (kind !== "k" && kind !== "v")) {
        return undefined;
    }
    const wanted = JSON.parse(name) as unknown;
    const element = (value as unknown[]).find((one) =>
        kind === "v" ? isDeepStrictEqual(one, wanted) : hasKeys(one, wanted),
    );
    return valueAt(element, rest);
}

function hasKeys(element: unknown, keys: unknown): boolean {
    return (
        isRecord(element) && Object.entries(keys as object).every(([key, value]) => (element[key] ?? value) === value)
    );
}

function isRecord(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether one of two paths leads to the other. An element of a list has a number in the one and keys in the other, so lists are compared as a whole. */
export function arePathsOfOne(one: string, other: string): boolean {
    const [a, b] = [one, other].map((path) => path.replace(/\[[\d{].*$/, "").replace(/\["(.*?)"\]/g, ".$1"));
    return `${a}.`.startsWith(`${b}.`) || `${b}.`.startsWith(`${a}.`);
}

/** The parts of `f:labels`, `k:{"name":"tikv"}` or `v:"x"`. */
function partsOf(segment: string): [kind: string, name: string] {
    const at = segment.indexOf(":");
    return [segment.slice(0, at), segment.slice(at + 1)];
}

/** As Pulumi writes paths: `metadata.labels["app.kubernetes.io/component"]`. */
function pathInWords(path: FieldPath): string {
    return path
        .filter((segment) => segment !== ".")
        .map((segment, index) => {
            const [kind, name] = partsOf(segment);
            const isPlain = /^[A-Za-z_][\w-]*$/.test(name);
            return kind === "f"
                ? isPlain
                    ? `${index === 0 ? "" : "."}${name}`
                    : `[${JSON.stringify(name)}]`
                : `[${name}]`;
        })
        .join("");
}
