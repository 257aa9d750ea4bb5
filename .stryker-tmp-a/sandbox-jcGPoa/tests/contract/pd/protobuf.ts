/** The few bytes of protobuf that it takes to play a store to a real PD, by hand: field numbers are kvproto's. */

/** A field of a message: its number and its value. A text or bytes go with their length, a number as a varint. */
export type Field = readonly [number: number, value: number | bigint | string | Buffer];

/** Encodes a message. */
export function message(...fields: Field[]): Buffer {
    return Buffer.concat(
        fields.map(([number, value]) => {
            if (typeof value === "number" || typeof value === "bigint") {
                return Buffer.concat([varint(number * 8), varint(value)]);
            }
            const bytes = Buffer.from(value as string);
            return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
        }),
    );
}

function varint(value: number | bigint): Buffer {
    const bytes: number[] = [];
    let rest = BigInt(value);
    for (; rest > 0x7fn; rest >>= 7n) {
        bytes.push(Number(rest & 0x7fn) | 0x80);
    }
    return Buffer.from([...bytes, Number(rest)]);
}

/** Finds a field that holds a message, among the top ones of an encoded message. */
export function submessage(encoded: Buffer, wanted: number): Buffer | undefined {
    const value = find(encoded, wanted);
    return typeof value === "number" ? undefined : value;
}

/** Finds a field that holds a number. Protobuf leaves out a zero. */
export function numberIn(encoded: Buffer, wanted: number): number {
    const value = find(encoded, wanted);
    return typeof value === "number" ? value : 0;
}

function find(encoded: Buffer, wanted: number): Buffer | number | undefined {
    for (let at = 0; at < encoded.length;) {
        const [key, afterKey] = readVarint(encoded, at);
        const [value, afterValue] = readVarint(encoded, afterKey);
        const isMessage = key % 8 === 2;
        const end = isMessage ? afterValue + value : afterValue;
        if (key >> 3 === wanted) {
            return isMessage ? encoded.subarray(afterValue, end) : value;
        }
        at = end;
    }
    return undefined;
}

function readVarint(encoded: Buffer, start: number): [value: number, end: number] {
    let value = 0;
    for (let at = start, unit = 1; ; at++, unit *= 128) {
        value += (encoded[at] & 0x7f) * unit;
        if ((encoded[at] & 0x80) === 0) {
            return [value, at + 1];
        }
    }
}
