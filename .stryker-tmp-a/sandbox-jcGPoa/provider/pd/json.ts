import { parse, stringify } from "lossless-json";

/**
 * Reads JSON without loss: whole numbers that a number cannot hold become bigints, all others plain numbers. PD's member
 * and cluster ids have 64 bits.
 * @throws SyntaxError where the text is no JSON
 */
export function decodeWire(text: string): unknown {
    return parse(text, undefined, parseNumber);
}

/** Writes JSON, bigints as plain digits. */
export function encodeWire(value: unknown): string {
    return stringify(value) ?? "null";
}

function parseNumber(text: string): number | bigint {
    const value = Number(text);
    const isWhole = /^-?\d+$/.test(text);
    return isWhole && !Number.isSafeInteger(value) ? BigInt(text) : value;
}
