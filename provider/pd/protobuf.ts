/** The fields of a message of Protocol Buffers, by number, as far as they are numbers or bytes. */
export type ProtobufFields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/**
 * Reads the fields of a message (https://protobuf.dev/programming-guides/encoding). Which types they have, the caller knows.
 *
 * @throws RangeError if the bytes are no such message.
 */
export function protobufFields(bytes: Buffer): ProtobufFields {
    const fields = new Map<number, (bigint | Buffer)[]>();
    let at = 0;
    const varint = (): bigint => {
        let value = 0n;
        for (let shift = 0n; shift < 64n; shift += 7n) {
            const byte = bytes.readUInt8(at++);
            value |= BigInt(byte & 0x7f) << shift;
            if (byte < 0x80) {
                return BigInt.asUintN(64, value);
            }
        }
        throw new RangeError("a number of more than 64 bits");
    };
    const take = (length: number): Buffer => {
        if (at + length > bytes.length) {
            throw new RangeError("a field that is longer than its message");
        }
        at += length;
        return bytes.subarray(at - length, at);
    };
    while (at < bytes.length) {
        const tag = varint();
        const number = Number(tag >> 3n);
        const kind = Number(tag & 7n);
        const value = kind === 0 ? varint() : take(lengthOf(kind, varint));
        fields.set(number, [...(fields.get(number) ?? []), value]);
    }
    return fields;
}

/** @returns the last value of a text; empty if there is none, as Protocol Buffers have it. */
export function textField(fields: ProtobufFields, number: number): string {
    const value = fields.get(number)?.at(-1);
    return Buffer.isBuffer(value) ? value.toString("utf8") : "";
}

/** @returns the last value of a number; 0 if there is none. */
export function numberField(fields: ProtobufFields, number: number): bigint {
    const value = fields.get(number)?.at(-1);
    return typeof value === "bigint" ? value : 0n;
}

function lengthOf(kind: number, varint: () => bigint): number {
    switch (kind) {
        case 1:
            return 8;
        case 2:
            return Number(varint());
        case 5:
            return 4;
        default:
            throw new RangeError(`a field of the kind ${kind}`);
    }
}
