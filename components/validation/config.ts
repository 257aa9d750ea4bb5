import type { ConfigInput } from "../componentSpec";
import { configValue, isTable, readConfig } from "../kubernetes/toml";
import { isMap } from "../plainMap";
import { specError, type SpecProblem } from "../problem";
import { shown } from "./path";

/** Tables in one another. A configuration has four or so. */
const deepest = 64;

/**
 * Checks a configuration: text must be TOML, and a map must only hold what TOML can say.
 *
 * @param tables Dotted paths that must be tables, because this package puts values into them.
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
        const isDeep = depthOf(readConfig(text), deepest + 1) > deepest;
        return isDeep ? [specError(field, `more than ${deepest} tables in one another`, "a configuration")] : [];
    } catch (error) {
        const { line, column, message } = error as Error & { line?: number; column?: number };
        const where = line === undefined ? "" : ` at line ${line}, column ${column}`;
        const why = message.split("\n")[0].replace(/^Invalid TOML document: /, "");
        return [specError(field, `text that is no TOML${where} (${why})`, "TOML")];
    }
}

/** How many tables and lists are in one another, counted no further than to `most`. */
function depthOf(value: unknown, most: number): number {
    if (most === 0 || typeof value !== "object" || value === null) {
        return 0;
    }
    return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner, most - 1)), 0);
}

function valueProblems(field: string, value: unknown): SpecProblem[] {
    if (Array.isArray(value)) {
        return value.flatMap((item, index) => valueProblems(`${field}[${index}]`, item));
    }
    if (isMap(value)) {
        return Object.entries(value).flatMap(([key, inner]) => valueProblems(`${field}.${key}`, inner));
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
                  "larger ones lose digits in a map: write the configuration as TOML text",
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
