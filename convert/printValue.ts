import { printKey, printText } from "./printText";

/** Maximum width of a line. */
const lineWidth = 120;
const indentation = "    ";
/** Prettier leaves text on the line of a key that is shorter than this, because a new line would not make it fit. */
const shortKey = indentation.length + 3;

/** A value that JSON can represent. */
export type PlainValue = string | number | boolean | null | PlainValue[] | { [key: string]: PlainValue };

/** A value's position: its depth, and the columns of its line that are taken before and after it. */
interface Place {
    readonly depth: number;
    readonly before: number;
    readonly behind: number;
}

/**
 * Prints a value as a TypeScript expression that Prettier (4 spaces, 120 columns) leaves unchanged: lists and maps on
 * one line if they fit, keys without quotes unless they need them, text of several lines as a template literal.
 *
 * @param depth Indentation levels of the line that the value starts on.
 * @param before Columns of that line that are already taken.
 */
export function printValue(value: PlainValue, depth = 0, before = 0): string {
    return print(value, { depth, before, behind: 0 });
}

/** Prints the entries of a map without its braces, each on a new line, indented one level deeper than `depth`. */
export function printEntries(map: { [key: string]: PlainValue }, depth: number): string {
    return lines(
        Object.entries(map).map(([key, value]) => printEntry(key, value, depth + 1)),
        depth,
    );
}

/** Prints a key and its value: `replicas: 3`. */
export function printEntry(key: string, value: PlainValue, depth: number): string {
    const name = printKey(key);
    const before = depth * indentation.length + name.length + 2;
    const text = print(value, { depth, before, behind: 1 });
    const isLong = typeof value === "string" && !text.startsWith("`") && before + text.length + 1 > lineWidth;
    return isLong && name.length >= shortKey ? `${name}:\n${indent(depth + 1)}${text}` : `${name}: ${text}`;
}

function print(value: PlainValue, place: Place): string {
    if (typeof value === "string") {
        return printText(value);
    }
    if (typeof value !== "object" || value === null) {
        return printScalar(value);
    }
    const flat = printFlat(value);
    const fits = flat !== undefined && place.before + flat.length + place.behind <= lineWidth;
    return fits ? flat : Array.isArray(value) ? printList(value, place.depth) : printMap(value, place.depth);
}

function printMap(map: { [key: string]: PlainValue }, depth: number): string {
    return `{\n${printEntries(map, depth)}${indent(depth)}}`;
}

function printList(list: PlainValue[], depth: number): string {
    if (list.length > 1 && list.every((item) => typeof item === "number")) {
        return `[\n${filled(list.map(printScalar), depth + 1)}${indent(depth)}]`;
    }
    const before = (depth + 1) * indentation.length;
    const items = list.map((item) => print(item, { depth: depth + 1, before, behind: 1 }));
    return `[\n${lines(items, depth)}${indent(depth)}]`;
}

/** Puts as many numbers on each line as fit. */
function filled(numbers: string[], depth: number): string {
    const rows: string[] = [];
    for (const number of numbers) {
        const last = rows.at(-1);
        if (last !== undefined && last.length + number.length + 2 <= lineWidth) {
            rows[rows.length - 1] = `${last} ${number},`;
        } else {
            rows.push(`${indent(depth)}${number},`);
        }
    }
    return `${rows.join("\n")}\n`;
}

/** Prints the value on one line; undefined if its form always needs several lines. */
function printFlat(value: PlainValue): string | undefined {
    if (typeof value === "string") {
        const text = printText(value);
        return text.includes("\n") ? undefined : text;
    }
    if (typeof value !== "object" || value === null) {
        return printScalar(value);
    }
    if (Array.isArray(value)) {
        const items = isTable(value) ? undefined : allFlat(value);
        return items && `[${items.join(", ")}]`;
    }
    const values = allFlat(Object.values(value));
    const entries = values && Object.keys(value).map((key, index) => `${printKey(key)}: ${values[index]}`);
    return entries && (entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`);
}

function allFlat(values: PlainValue[]): string[] | undefined {
    const flat: string[] = [];
    for (const value of values) {
        const one = printFlat(value);
        if (one === undefined) {
            return undefined;
        }
        flat.push(one);
    }
    return flat;
}

/** A list of maps with several keys, or of lists with several items, is printed as a table: one row per line. */
function isTable(list: PlainValue[]): boolean {
    const hasSeveral = (item: PlainValue): boolean =>
        typeof item === "object" && item !== null && Object.keys(item).length > 1;
    return list.length > 1 && list.every((item) => hasSeveral(item) && Array.isArray(item) === Array.isArray(list[0]));
}

function printScalar(value: number | boolean | null): string {
    return Object.is(value, -0) ? "-0" : String(value).replace("e+", "e");
}

function lines(texts: string[], depth: number): string {
    return texts.map((text) => `${indent(depth + 1)}${text},\n`).join("");
}

function indent(depth: number): string {
    return indentation.repeat(depth);
}
