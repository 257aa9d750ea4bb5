/** The fields of a message of Protocol Buffers: texts, numbers and messages, by number. */
export type Message = Readonly<Record<number, string | bigint | Buffer | readonly string[] | undefined>>;

/** Writes a message (https://protobuf.dev/programming-guides/encoding). As in Go, empty texts and zeros are left out. */
export function encode(message: Message): Buffer {
    const parts = Object.entries(message).flatMap(([number, value]) =>
        (Array.isArray(value) ? (value as string[]) : [value as string | bigint | Buffer | undefined]).flatMap(
            (one) => {
                if (one === undefined || one === "" || one === 0n) {
                    return [];
                }
                if (typeof one === "bigint") {
                    return [varint(BigInt(number) << 3n), varint(one)];
                }
                const bytes = Buffer.from(one as string);
                return [varint((BigInt(number) << 3n) | 2n), varint(BigInt(bytes.length)), bytes];
            },
        ),
    );
    return Buffer.concat(parts);
}

/** Reads a message that `encode` has written: the last value of each field. */
export function decode(bytes: Buffer): Map<number, bigint | Buffer> {
    const fields = new Map<number, bigint | Buffer>();
    let at = 0;
    const next = (): bigint => {
        let value = 0n;
        for (let shift = 0n; ; shift += 7n) {
            const byte = bytes.readUInt8(at++);
            value |= BigInt(byte & 0x7f) << shift;
            if (byte < 0x80) {
                return value;
            }
        }
    };
    while (at < bytes.length) {
        const tag = next();
        const value = next();
        const isBytes = (tag & 7n) === 2n;
        fields.set(Number(tag >> 3n), isBytes ? bytes.subarray(at, at + Number(value)) : value);
        at += isBytes ? Number(value) : 0;
    }
    return fields;
}

function varint(value: bigint): Buffer {
    const bytes: number[] = [];
    for (; value >= 0x80n; value >>= 7n) {
        bytes.push(Number(value & 0x7fn) | 0x80);
    }
    return Buffer.from([...bytes, Number(value)]);
}
