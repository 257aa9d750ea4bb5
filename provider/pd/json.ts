import { parse, stringify } from "lossless-json";

/**
 * Reads JSON without loss of precision: whole numbers that a JavaScript number cannot hold become bigints. PD's member
 * and cluster ids have 64 bits.
 * @throws SyntaxError if the text is not JSON
 */
export function decodeWire(text: string): unknown {
    return parse(text, undefined, parseNumber);
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
