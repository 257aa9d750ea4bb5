const decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/**
 * Returns a quantity as the API server writes it: in the largest unit of its kind in which it is a whole number
 * (`1000m` is `1`, `1024Mi` is `1Gi`, `0.5` is `500m`). Text that is not a quantity is returned unchanged.
 */
export function canonicalQuantity(text: string): string {
    const parsed = parse(text);
    if (parsed === undefined) {
        return text;
    }
    const { units, base } = parsed;
    let { amount } = parsed;
    let index = 0;
    while (amount !== 0n && amount % base === 0n && index < units.length - 1) {
        amount /= base;
        index++;
    }
    return amount === 0n ? "0" : `${amount}${units[index]}`;
}

/**
 * The bytes of a size, rounded up.
 * @throws if it is not a quantity
 */
export function bytesOf(text: string): bigint {
    const parsed = parse(text);
    if (parsed === undefined) {
        throw new Error(`"${text}" is not a quantity, expected one such as 10Gi`);
    }
    const one = parsed.base ** BigInt(parsed.units.indexOf(""));
    return (parsed.amount + one - 1n) / one;
}

/** The amount in the smallest unit of its kind. Anything finer is rounded up, as in Kubernetes. */
function parse(text: string): { amount: bigint; units: readonly string[]; base: bigint } | undefined {
    const match = /^(\d+)(?:\.(\d+))?(n|u|m|k|[KMGTPE]i?)?$/.exec(text);
    if (match === null) {
        return undefined;
    }
    const [, whole = "", fraction = "", unit = ""] = match;
    const [units, base] = unit.endsWith("i") ? [binary, 1024n] : [decimal, 1000n];
    const digits = BigInt(10 ** fraction.length);
    const scaled = BigInt(whole + fraction) * base ** BigInt(units.indexOf(unit));
    return { amount: scaled / digits + (scaled % digits === 0n ? 0n : 1n), units, base };
}
