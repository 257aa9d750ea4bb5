import type { ErrorObject } from "ajv";
import { publishedTag } from "../../topology/imageVersion";
import { isMap } from "../plainMap";
import { specError, type SpecProblem } from "../problem";
import { nearest } from "./nearest";
import { fieldName, type Path, pathOf, removeAt, shown, shownWithKind } from "./path";
import { isLeftToServer, unknownField } from "./unknownField";

/** The result of checking a manifest against the schema. */
export interface SchemaResult {
    /** Errors about wrong types, and what is said of unknown fields. */
    readonly problems: SpecProblem[];
    /** Paths of the errors. Later checks skip these fields. */
    readonly wrong: string[];
}

/**
 * Checks a manifest against the schema, and removes unknown fields and values of the wrong type from it. The rules that
 * come later see only values of the right type.
 *
 * @param unknown How severe an unknown field is.
 */
export function checkSchema(manifest: Record<string, unknown>, unknown: SpecProblem["severity"]): SchemaResult {
    // Loaded lazily: the library and the compiled schema take longer to load than the rest of this package.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { validate } = require("./compiledSchema") as typeof import("./compiledSchema");
    validate(manifest);
    const found = withoutBranches(validate.errors ?? []).map((error) => problemOf(error, manifest, unknown));
    for (const { path, replacement } of found) {
        removeAt(manifest, path, replacement);
    }
    return {
        problems: found.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
        wrong: found.filter(({ problem }) => problem?.severity === "error").map(({ path }) => fieldName(path)),
    };
}

/**
 * @returns what is wrong with a manifest, from the errors of the schema library. Unknown fields are errors, except those that the API server
 * adds.
 */
export function schemaProblems(errors: ErrorObject[] | null | undefined, manifest: unknown): SpecProblem[] {
    return withoutBranches(errors ?? []).flatMap((error) => problemOf(error, manifest, "error").problem ?? []);
}

interface Found {
    readonly path: Path;
    readonly problem: SpecProblem | undefined;
    readonly replacement: unknown;
}

/**
 * Leaves out the library's errors for the branches of a failed `anyOf`: one message names all of them. Of two errors about one value
 * only the first one stays: a field that our types have and Kubernetes' too is checked twice.
 */
function withoutBranches(all: ErrorObject[]): ErrorObject[] {
    const errors = all.filter((error) => !isLeftToServer(error));
    const failed = errors.filter(({ keyword }) => keyword === "anyOf");
    const choices = new Set(failed.map(({ instancePath }) => instancePath));
    const kept = errors.filter(({ keyword, instancePath }) => keyword === "anyOf" || !choices.has(instancePath));
    const about = ({ instancePath, keyword, params }: ErrorObject): string =>
        JSON.stringify([instancePath, keyword, params]);
    return [...new Map([...kept].reverse().map((error) => [about(error), error])).values()].reverse();
}

function problemOf(error: ErrorObject, manifest: unknown, unknown: SpecProblem["severity"]): Found {
    const path = pathOf(error.instancePath, manifest);
    const parameters = error.params as Record<string, unknown>;
    if (error.keyword === "additionalProperties") {
        const at = [...path, String(parameters.additionalProperty)];
        return { path: at, problem: unknownField(error, at, unknown), replacement: undefined };
    }
    if (error.keyword === "required") {
        const at = [...path, String(parameters.missingProperty)];
        const expected = expectation(propertySchema(error.parentSchema, String(parameters.missingProperty)));
        return { path: at, problem: specError(fieldName(at), "nothing", expected), replacement: undefined };
    }
    // An empty string in an enum field means that the field is not set, as it does for the API server.
    const isUnset = error.keyword === "enum" && error.data === "";
    const field = fieldName(path);
    return {
        path,
        problem: isUnset
            ? undefined
            : specError(field, foundIn(error), expectation(error.parentSchema, !isText(error.data)), hint(error)),
        replacement: parameters.type === "string" ? "" : {},
    };
}

function foundIn({ keyword, data }: ErrorObject): string {
    return keyword === "enum" ? shown(data) : shownWithKind(data);
}

function isText(value: unknown): value is string {
    return typeof value === "string";
}

function hint(error: ErrorObject): string | undefined {
    const choices = error.keyword === "enum" ? (error.params as { allowedValues: unknown[] }).allowedValues : [];
    const known = isText(error.data) ? nearest(error.data, choices.map(String)) : undefined;
    return known === undefined ? quotesHint(error) : `did you mean ${known}?`;
}

/** The versions of the cluster and of its members, as JSON pointers. */
const versionField = /^\/spec\/(\w+\/(\d+\/)?)?version$/;

function quotesHint({ keyword, data, params, instancePath }: ErrorObject): string | undefined {
    const { type } = params as { type?: unknown };
    if (keyword !== "type" || typeof type !== "string") {
        return undefined;
    }
    if (type === "string") {
        if (typeof data === "number" && versionField.test(instancePath)) {
            return `TiDB's tags begin with v, such as ${publishedTag(String(data))}`;
        }
        return typeof data === "number" || typeof data === "boolean" ? "put it in quotes" : undefined;
    }
    return isText(data) && unquoted[type]?.test(data) ? "remove the quotes" : undefined;
}

/** Text that is a value of the type without its quotes, by type. */
const unquoted: Readonly<Record<string, RegExp | undefined>> = {
    integer: /^[+-]?\d+$/,
    number: /^[+-]?\d+(\.\d+)?$/,
    boolean: /^(true|false)$/,
};

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

/** @returns what a schema expects, as text. The range of a number is left out if the value is not a number at all. */
function expectation(schema: unknown, withRange = true): string {
    if (!isMap(schema)) {
        return "a value";
    }
    const enumeration = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (Array.isArray(enumeration)) {
        const words = enumeration.filter((choice) => choice !== "");
        return `${words.length === 1 ? "" : "one of "}${words.join(", ")}`;
    }
    if (Array.isArray(schema.anyOf)) {
        return [...new Set(schema.anyOf.map((branch) => expectation(branch)))].join(" or ");
    }
    if (typeof schema.$ref === "string") {
        return references[decodeURIComponent(schema.$ref)] ?? "a map";
    }
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    const words = types.map((type) => kinds[String(type)] ?? "a value").join(" or ");
    return withRange ? `${words}${range(schema)}` : words;
}

/** Expectations for the definitions that a required field or a choice can refer to. */
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
