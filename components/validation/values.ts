import { isMap } from "../plainMap";
import { specError, type SpecProblem } from "../problem";
import { shownWithKind } from "./path";
import { unknownFields } from "./unknownField";

/** Returns the errors of a value; none if the field is left out. @param field the path of the value */
export type Check = (field: string, value: unknown) => SpecProblem[];

/** A timeout beyond a year is a mistake, and a much longer one has no date at which it ends. */
const longestSeconds = 31_536_000;

/** `true` or `false`. */
export const boolean: Check = (field, value) => {
    const next = value === "true" || value === "false" ? "remove the quotes" : undefined;
    return value === undefined || typeof value === "boolean"
        ? []
        : [specError(field, shownWithKind(value), "true or false", next)];
};

/** A duration in whole seconds, at most a year. */
export const seconds = wholeNumber(1, longestSeconds, `a whole number of seconds from 1 to ${longestSeconds} (a year)`);

/** A whole number within bounds. @param expected what the error says is expected */
export function wholeNumber(least: number, most: number, expected = `a whole number from ${least} to ${most}`): Check {
    return (field, value) =>
        value === undefined || isWhole(value, least, most)
            ? []
            : [specError(field, shownWithKind(value), expected, withoutQuotes(value))];
}

/** One of a few words, or what another check takes. */
export function word(...allowed: readonly string[]): Check {
    return (field, value) =>
        value === undefined || allowed.includes(value as string)
            ? []
            : [specError(field, shownWithKind(value), allowed.map((one) => JSON.stringify(one)).join(" or "))];
}

/** A map with known fields. An absent map has no errors. @param checks what each field takes */
export function map(checks: Readonly<Record<string, Check>>): Check {
    const known = Object.keys(checks);
    return (path, table) => {
        if (table === undefined || table === null) {
            return [];
        }
        if (!isMap(table)) {
            return [specError(path, shownWithKind(table), "a map")];
        }
        const values = Object.entries(table).filter(([name]) => known.includes(name));
        return [
            ...unknownFields(path, table, known),
            ...values.flatMap(([name, value]) => checks[name](`${path}.${name}`, value)),
        ];
    };
}

/** Whether a value is a whole number within bounds. */
export function isWhole(value: unknown, least: number, most: number): boolean {
    return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}

function withoutQuotes(value: unknown): string | undefined {
    return typeof value === "string" && /^[1-9]\d*$/.test(value) ? "remove the quotes" : undefined;
}
