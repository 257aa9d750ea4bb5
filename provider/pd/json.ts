import { parse, stringify } from "lossless-json";

/**
 * Reads JSON without loss of precision: whole numbers that a JavaScript number cannot hold become bigints. PD's member
 * and cluster ids have 64 bits.
 * @throws SyntaxError if the text is not JSON
 */
export function decodeWire(text: string): unknown {
    return decodeMarked(text) ?? parse(text, undefined, parseNumber);
}

/** Writes JSON, with bigints as plain digits. */
export function encodeWire(value: unknown): string {
    return stringify(value) ?? "null";
}

function parseNumber(text: string): number | bigint {
    const value = Number(text);
    const isWhole = /^-?\d+$/.test(text);
    return isWhole && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

/** Marks a number that was made a text. A character of the private use area, which PD has no reason to send. */
const mark = "\ue000";
/** Whole numbers at the end of a line. PD indents its answers, and no text of JSON contains a line break, so none is within a text. */
const longAtEndOfLine = /(?<=[\s:[,])-?\d{16,}(?=,?\r?\n)/g;
/** Digits that may be a whole number too long for a JavaScript number, and were not marked. Fractions are none. */
const longUnmarked = new RegExp(`(?<![.\\d${mark}-])\\d{16,}|(?<!${mark})-\\d{16,}`);

/**
 * Reads JSON by the engine's own parser, which takes about half of the time: PD's list of 1,000 stores has 1.4 MB. Long
 * numbers are made texts before, and bigints afterwards.
 * @returns `undefined` if it may have a long number that was not found, or is null.
 */
function decodeMarked(text: string): unknown {
    if (text.includes(mark)) {
        return undefined;
    }
    const marked = text.replace(longAtEndOfLine, (digits) => `"${mark}${digits}"`);
    return longUnmarked.test(marked) ? undefined : unmarked(JSON.parse(marked));
}

function unmarked(value: unknown): unknown {
    if (typeof value === "string") {
        return value.startsWith(mark) ? parseNumber(value.slice(mark.length)) : value;
    }
    if (typeof value === "object" && value !== null) {
        const fields = value as Record<string, unknown>;
        for (const key of Object.keys(fields)) {
            const field = fields[key];
            if (typeof field === "string" || typeof field === "object") {
                fields[key] = unmarked(field);
            }
        }
    }
    return value;
}
