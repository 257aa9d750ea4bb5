import type { ConfigInput } from "../componentSpec";
import { configValue, isTable, readConfig } from "../kubernetes/toml";
import { isMap } from "../plainMap";
import { specError, type SpecProblem, textError } from "../problem";
import { shown } from "./path";

/** The most levels of nested tables. A real configuration has about four. */
const maxDepth = 64;

/** Half of a character that JavaScript keeps in two parts. */
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Checks a configuration: text must be TOML, and a map may contain only values that TOML can express.
 *
 * @param tables Dotted paths that must be tables, because this package sets values in them.
 */
export function configProblems(
    field: string,
    config: ConfigInput | undefined,
    tables: readonly string[] = [],
): SpecProblem[] {
    if (config === undefined) {
        return [];
    }
    const problems = typeof config === "string" ? textProblems(field, config) : valueProblems(field, config);
    return problems.length > 0 ? problems : tableProblems(field, config, tables);
}

function textProblems(field: string, text: string): SpecProblem[] {
    try {
        const isDeep = depthOf(readConfig(text), maxDepth + 1) > maxDepth;
        return isDeep ? [specError(field, `more than ${maxDepth} nested tables`, `at most ${maxDepth}`)] : [];
    } catch (error) {
        const { line, column, message } = error as Error & { line?: number; column?: number };
        const where = line === undefined ? "" : `line ${line}, column ${column}: `;
        const why = message.split("\n")[0].replace(/^Invalid TOML document: /, "");
        return [textError(field, "invalid TOML", "TOML", `${where}invalid TOML: ${why}`)];
    }
}

/** @returns the number of levels of nested tables and lists, at most `max`. */
function depthOf(value: unknown, max: number): number {
    if (max === 0 || typeof value !== "object" || value === null) {
        return 0;
    }
    return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner, max - 1)), 0);
}

function valueProblems(field: string, value: unknown): SpecProblem[] {
    if (Array.isArray(value)) {
        return value.flatMap((item, index) => valueProblems(`${field}[${index}]`, item));
    }
    if (isMap(value)) {
        return Object.entries(value).flatMap(([key, inner]) =>
            loneSurrogate.test(key)
                ? [specError(field, `the key ${shown(key)}`, "keys of whole characters, which TOML can hold")]
                : valueProblems(`${field}.${key}`, inner),
        );
    }
    if (typeof value === "number") {
        return numberProblems(field, value);
    }
    return value === null ? [specError(field, "nothing", "text, a number, true or false, a list or a map")] : [];
}

function numberProblems(field: string, value: number): SpecProblem[] {
    return Number.isInteger(value) && !Number.isSafeInteger(value)
        ? [
              specError(
                  field,
                  shown(value),
                  `a whole number of at most ${Number.MAX_SAFE_INTEGER}`,
                  "a map cannot hold a larger number exactly: write the configuration as TOML text",
              ),
          ]
        : [];
}

function tableProblems(field: string, config: ConfigInput, tables: readonly string[]): SpecProblem[] {
    const read = readConfig(config);
    return tables.flatMap((path) => {
        const value = configValue(read, path);
        return value === undefined || isTable(value) ? [] : [specError(`${field}.${path}`, shown(value), "a table")];
    });
}
