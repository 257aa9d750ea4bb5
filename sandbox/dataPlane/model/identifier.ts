/** A stable 63-bit number for a text (FNV-1a). Like PD's identifiers, it is too large for a double. */
export function identifier(text: string): bigint {
    let hash = 0xcbf29ce484222325n;
    for (const byte of Buffer.from(text)) {
        hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    }
    return BigInt.asUintN(63, hash) | (1n << 62n);
}
