import { printKey, printText } from "./printText";

/** How wide a line may be. */
const lineWidth = 120;
const indentation = "    ";
/** Prettier leaves text behind a key that is shorter than this, where a line of its own would not make it fit. */
const shortKey = indentation.length + 3;

/** A value that JSON can say. */
export type PlainValue = string | number | boolean | null | PlainValue[] | { [key: string]: PlainValue };

/** Where a value stands: how deep, and how many columns of its line are taken before and behind it. */
interface Place {
    readonly depth: number;
    readonly before: number;
    readonly behind: number;
}

/**
 * Prints a value as a TypeScript expression, in the form that Prettier (4 spaces, 120 columns) leaves as it is: lists
 * and maps on one line where they fit, keys without quotes where they need none, text of several lines as a template.
 *
 * @param depth Levels of indentation of the line that it starts on.
 * @param before Columns of that line that are taken already.
 */
export function printValue(value: PlainValue, depth = 0, before = 0): string {
    return print(value, { depth, before, behind: 0 });
}

/** Prints the entries of a map, each on lines of its own, indented by one level more than `depth`, without its braces. */
export function printEntries(map: { [key: string]: PlainValue }, depth: number): string {
    return lines(
        Object.entries(map).map(([key, value]) => printEntry(key, value, depth + 1)),
        depth,
    );
}

/** Prints a value behind its key: `replicas: 3`. */
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

/** As many numbers on a line as fit. */
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

/** The value on one line; nothing where it takes several however short it is. */
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

/** A list of maps of several keys, or of lists of several items, reads as a table: one row a line. */
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
