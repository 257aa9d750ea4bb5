import type { ConfigInput } from "../componentSpec";
import { isTable, readConfig } from "../kubernetes/toml";
import { specError, type SpecProblem } from "../problem";
import { isMap, shown } from "./path";

/**
 * Checks a configuration: text must be TOML, and a map must only hold what TOML can say.
 *
 * @param tables Keys that must be tables, because this package puts values into them.
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
        readConfig(text);
        return [];
    } catch (error) {
        const { line, column, message } = error as Error & { line?: number; column?: number };
        const where = line === undefined ? "" : ` at line ${line}, column ${column}`;
        const why = message.split("\n")[0].replace(/^Invalid TOML document: /, "");
        return [specError(field, `text that is no TOML${where} (${why})`, "TOML")];
    }
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
    return tables
        .filter((key) => Object.hasOwn(read, key) && !isTable(read[key]))
        .map((key) => specError(`${field}.${key}`, shown(read[key]), "a table"));
}
