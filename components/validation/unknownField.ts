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
 * Returns what is reported about an unknown field. It is a warning, because tidb-operator ignores unknown fields too. It is an
 * error if the field is most likely a missing section under another name: `tidbs: {…}` without `tidb` would remove TiDB from
 * the cluster. Undefined for fields of the API server.
 *
 * @param error The schema library's error. Its data is the map that contains the field.
 */
export function unknownField(error: ErrorObject, path: Path): SpecProblem | undefined {
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
    const isThere = known !== undefined && siblings[known] !== undefined;
    const didYouMean = known === undefined ? "" : `; did you mean ${known}?`;
    return problem("warning", field, known, ` and is ignored${didYouMean}`, isThere);
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
 * Returns an error for each field of a map that is not known. Unlike unknown fields of a manifest, they are errors: only a program has
 * them, and tidb-operator does not know them.
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

/** @returns what a name in a map of any names most likely stands for, if that is missing there: `storag` for `storage`. */
export function misspelt(path: string, missing: string, table: object = {}): SpecProblem[] {
    return Object.keys(table)
        .filter((name) => nearest(name, [missing]) === missing)
        .map((name) => problem("warning", `${path}.${name}`, missing, `; did you mean ${missing}?`));
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
