import type { ErrorObject } from "ajv";
import { isMap } from "../plainMap";
import { specError, type SpecProblem, visible } from "../problem";
import { nearest } from "./nearest";
import { fieldName, type Path, pathOf, removeAt, shown } from "./path";

/** What the schema says about a manifest. */
export interface SchemaResult {
    /** Wrong types are errors, unknown fields are warnings. */
    readonly problems: SpecProblem[];
    /** Paths of what was wrong; nothing more need be said about them. */
    readonly wrong: string[];
}

/** Fields that the API server adds to an object that it stores. They are read and not used. */
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
 * Checks the types of a manifest against the schema, and removes from it what is wrong or unknown, so that the rules
 * that come after see only values of the right type.
 */
export function checkSchema(manifest: Record<string, unknown>): SchemaResult {
    // Loaded here, because the library and its compiled schema take longer to load than all else in this package.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { validate } = require("./compiledSchema") as typeof import("./compiledSchema");
    validate(manifest);
    const found = withoutBranches(validate.errors ?? []).map((error) => problemOf(error, manifest));
    for (const { path, replacement } of found) {
        removeAt(manifest, path, replacement);
    }
    return {
        problems: found.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
        wrong: found.filter(({ problem }) => problem?.severity === "error").map(({ path }) => fieldName(path)),
    };
}

interface Found {
    readonly path: Path;
    readonly problem: SpecProblem | undefined;
    readonly replacement: unknown;
}

/** Of a choice that failed, what the library says of each branch is left out: one sentence names them all. */
function withoutBranches(errors: ErrorObject[]): ErrorObject[] {
    const failed = errors.filter(({ keyword }) => keyword === "anyOf");
    const choices = new Set(failed.map(({ instancePath }) => instancePath));
    return errors.filter(({ keyword, instancePath }) => keyword === "anyOf" || !choices.has(instancePath));
}

function problemOf(error: ErrorObject, manifest: unknown): Found {
    const path = pathOf(error.instancePath, manifest);
    const parameters = error.params as Record<string, unknown>;
    if (error.keyword === "additionalProperties") {
        const at = [...path, String(parameters.additionalProperty)];
        return { path: at, problem: unknownField(fieldName(at), at, error.parentSchema), replacement: undefined };
    }
    if (error.keyword === "required") {
        const at = [...path, String(parameters.missingProperty)];
        const expected = expectation(propertySchema(error.parentSchema, String(parameters.missingProperty)));
        return { path: at, problem: specError(fieldName(at), "nothing", expected), replacement: undefined };
    }
    // Empty text where one of a few words is expected means that nothing was said, as it does for the API server.
    const isUnset = error.keyword === "enum" && error.data === "";
    const field = fieldName(path);
    return {
        path,
        problem: isUnset
            ? undefined
            : specError(field, shown(error.data), expectation(error.parentSchema), hint(error)),
        replacement: parameters.type === "string" ? "" : {},
    };
}

function unknownField(field: string, path: Path, schema: unknown): SpecProblem | undefined {
    if (serverFields.has(field)) {
        return undefined;
    }
    const properties = isMap(schema) && isMap(schema.properties) ? Object.keys(schema.properties) : [];
    const known = nearest(String(path[path.length - 1]), properties);
    return {
        field,
        found: "an unknown field",
        expected: known ?? "a field of v1alpha1",
        message: visible(
            `${field} is not a known field and is ignored${known === undefined ? "" : `; did you mean ${known}?`}`,
        ),
        severity: "warning",
    };
}

function hint(error: ErrorObject): string | undefined {
    const choices = error.keyword === "enum" ? (error.params as { allowedValues: unknown[] }).allowedValues : [];
    const known = typeof error.data === "string" ? nearest(error.data, choices.map(String)) : undefined;
    if (known !== undefined) {
        return `did you mean ${known}?`;
    }
    const wantsText = error.keyword === "type" && (error.params as { type: unknown }).type === "string";
    const isPlain = typeof error.data === "number" || typeof error.data === "boolean";
    return wantsText && isPlain ? "put it in quotes" : undefined;
}

function propertySchema(schema: unknown, property: string): unknown {
    return isMap(schema) && isMap(schema.properties) ? schema.properties[property] : undefined;
}

const kinds: Record<string, string> = {
    string: "text",
    number: "a number",
    integer: "a whole number",
    boolean: "true or false",
    object: "a map",
    array: "a list",
};

/** What a schema expects, in words. */
function expectation(schema: unknown): string {
    if (!isMap(schema)) {
        return "a value";
    }
    const enumeration = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (Array.isArray(enumeration)) {
        const words = enumeration.filter((choice) => choice !== "");
        return `${words.length === 1 ? "" : "one of "}${words.join(", ")}`;
    }
    if (Array.isArray(schema.anyOf)) {
        return [...new Set(schema.anyOf.map(expectation))].join(" or ");
    }
    if (typeof schema.$ref === "string") {
        return references[decodeURIComponent(schema.$ref)] ?? "a map";
    }
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    const words = types.map((type) => kinds[String(type)] ?? "a value").join(" or ");
    return `${words}${range(schema)}`;
}

/** What stands behind the references that a required field or a choice can have. */
const references: Record<string, string> = {
    "#/definitions/Count": "a whole number from 0 to 2147483647",
    "#/definitions/Quantity": "a quantity such as 10Gi",
};

function range(schema: Record<string, unknown>): string {
    const { minimum, maximum } = schema;
    return minimum === undefined
        ? ""
        : ` from ${shown(minimum)}${maximum === undefined ? "" : ` to ${shown(maximum)}`}`;
}
