import type { ErrorObject } from "ajv";
import { argumentInSpec, type besideSpec } from "../besideSpec";
import { isMap } from "../plainMap";
import { specError, type SpecProblem, visible } from "../problem";
import { nearest } from "./nearest";
import { fieldName, type Path } from "./path";

/** Fields that the API server adds to a stored object. They are accepted and ignored. */
const serverFields = new Set([
    "status",
    "metadata.creationTimestamp",
    "metadata.deletionTimestamp",
    "metadata.deletionGracePeriodSeconds",
    "metadata.finalizers",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.ownerReferences",
    "metadata.resourceVersion",
    "metadata.selfLink",
    "metadata.uid",
]);

/**
 * Returns whether a manifest is an object as an API server returns it. The server drops fields that it does not know (CustomResourceDefinition
 * of apiextensions.k8s.io/v1, as in tidb-operator's manifests/crd.yaml), so an unknown one is no typing error: another version of
 * tidb-operator has it.
 */
export function isStored({ metadata, status }: Record<string, unknown>): boolean {
    const { uid, resourceVersion } = isMap(metadata) ? metadata : {};
    return uid !== undefined || resourceVersion !== undefined || (isMap(status) && Object.keys(status).length > 0);
}

/** The mark of a schema that is a Kubernetes type. */
export const ofKubernetes = "a type of Kubernetes";

/** So many letters of a Kubernetes field may be wrong. A longer difference may be a field of a newer Kubernetes. */
const misspeltLetters = 2;

/** @returns whether an unknown field is left to the API server: a newer Kubernetes may have it. One that looks misspelt is not. */
export function isLeftToServer({ keyword, parentSchema, params, data }: ErrorObject): boolean {
    if (keyword !== "additionalProperties" || parentSchema?.$comment !== ofKubernetes) {
        return false;
    }
    const siblings = isMap(data) ? data : {};
    const missing = missingFirst(parentSchema, siblings).filter((name) => siblings[name] === undefined);
    return nearest(String(params.additionalProperty), missing, misspeltLetters) === undefined;
}

/**
 * Returns what is reported about an unknown field. Undefined for fields of the API server.
 *
 * @param error The schema library's error. Its data is the map that contains the field.
 * @param severity How severe it is. It is an error in any case if the field is most likely a missing section under another name:
 * `tidbs: {…}` without `tidb` would remove TiDB from the cluster.
 */
export function unknownField(
    error: ErrorObject,
    path: Path,
    severity: SpecProblem["severity"],
): SpecProblem | undefined {
    const field = fieldName(path);
    if (serverFields.has(field)) {
        return undefined;
    }
    const name = String(path[path.length - 1]);
    const argument = argumentInSpec("TidbCluster", field);
    if (argument !== undefined) {
        return argument;
    }
    const section = path.length === 1 ? sectionOf(name) : undefined;
    if (section !== undefined) {
        const next = `in YAML, indent it further than \`${section}:\``;
        return specError(field, "it at the top level", `it inside \`${section}\``, next);
    }
    const siblings = isMap(error.data) ? error.data : {};
    const known = nearest(name, missingFirst(error.parentSchema, siblings));
    const value = siblings[name];
    if (known !== undefined && siblings[known] === undefined && typeof value === "object" && value !== null) {
        return problem(
            "error",
            field,
            known,
            `, and ${known} is missing; did you mean ${known}? If not, remove ${name}`,
        );
    }
    return unknownName(severity, field, known, known !== undefined && siblings[known] !== undefined);
}

/** @returns that a field is not known. @param known the known field whose name is most similar. @param isThere whether that is there too. */
export function unknownName(
    severity: SpecProblem["severity"],
    field: string,
    known: string | undefined,
    isThere = false,
): SpecProblem {
    const isIgnored = severity === "warning" ? " and is ignored" : "";
    const next = known !== undefined ? `; did you mean ${known}?` : severity === "error" ? "; remove it" : "";
    return problem(severity, field, known, `${isIgnored}${next}`, isThere);
}

/** The section that a field at the top level belongs to: most likely it is not indented enough. Undefined if none has it. */
function sectionOf(name: string): string | undefined {
    // Loaded lazily, as the compiled schema is, which has loaded it by now.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { definitions } = require("../spec.schema.json") as typeof import("../spec.schema.json");
    const sections = { spec: definitions.TidbClusterSpec, metadata: definitions.ManifestMetadata };
    return Object.entries(sections).find(([, { properties }]) => Object.hasOwn(properties, name))?.[0];
}

/**
 * Returns an error for each field of a map that is not known.
 *
 * @param path Path of the map. Empty for the arguments themselves.
 * @param component for a spec: whose it is.
 */
export function unknownFields(
    path: string,
    table: object,
    known: readonly string[],
    component?: keyof typeof besideSpec,
): SpecProblem[] {
    return Object.entries(table)
        .filter(([name, value]) => !known.includes(name) && value !== undefined)
        .map(([name]) => {
            const field = path === "" ? name : `${path}.${name}`;
            const near = nearest(name, known);
            const next = near === undefined ? `expected ${known.join(", ")}` : `did you mean ${near}?`;
            return (component && argumentInSpec(component, field)) ?? problem("error", field, near, `; ${next}`);
        });
}

function problem(
    severity: SpecProblem["severity"],
    field: string,
    known: string | undefined,
    consequence: string,
    isThere = false,
): SpecProblem {
    // What lacks in a field that is there has nothing to do with this one.
    const meant = isThere ? undefined : known && field.replace(/[^.]*$/, known);
    return {
        ...(meant ? { meant } : {}),
        field,
        found: "an unknown field",
        expected: known ?? "a field of v1alpha1",
        message: visible(`${field} is not a known field${consequence}`),
        severity,
    };
}

/** The known fields. Of two fields with equally similar names, the user most likely meant the missing one. */
function missingFirst(schema: unknown, siblings: Record<string, unknown>): string[] {
    const known = isMap(schema) && isMap(schema.properties) ? Object.keys(schema.properties) : [];
    const isMissing = (name: string) => siblings[name] === undefined;
    return [...known.filter(isMissing), ...known.filter((name) => !isMissing(name))];
}
