/**
 * Kubernetes quantities (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity): a decimal
 * number with a suffix. Amounts are exact, in billionths (n), which is the finest unit that Kubernetes stores.
 */

const grammar = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d+)?$/;
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const billion = 1_000_000_000n;
const largest = (2n ** 63n - 1n) * billion;
const longest = 64;

/** A quantity: its amount and its format. */
export interface ParsedQuantity {
    /** The amount in billionths. */
    readonly billionths: bigint;
    /** Suffix format: binary (`Gi`), decimal (`G`, `m`) or exponent (`1e3`). */
    readonly format: "binary" | "decimal" | "exponent";
}

/** Parses a quantity. Undefined if the value is not a quantity or does not fit into a 64-bit number. */
export function parseQuantity(quantity: unknown): ParsedQuantity | undefined {
    if (typeof quantity !== "string" && typeof quantity !== "number") {
        return undefined;
    }
    const text = String(quantity).trim();
    const parts = text.length > longest ? null : grammar.exec(text);
    if (parts === null) {
        return undefined;
    }
    const [, sign, digits, suffix = ""] = parts;
    const [whole, fraction = ""] = digits.split(".");
    const { numerator, denominator, format } = scaleOf(suffix);
    // Kubernetes rounds up to a whole billionth.
    const rounded = ceilingDivide(
        BigInt(whole + fraction) * numerator * billion,
        denominator * 10n ** BigInt(fraction.length),
    );
    return rounded > largest ? undefined : { billionths: sign === "-" ? -rounded : rounded, format };
}

/** @returns a quantity in the API server's canonical form, so the stored value equals the sent one. Other values are unchanged. */
export function canonicalQuantity(quantity: string | number): string | number {
    const parsed = parseQuantity(quantity);
    if (parsed === undefined) {
        return quantity;
    }
    const { billionths, format } = parsed;
    const isWhole = billionths % billion === 0n;
    if (format === "binary" && isWhole && (billionths >= 1024n * billion || billionths <= -1024n * billion)) {
        const [amount, power] = withoutFactor(billionths / billion, 1024n, binarySuffixes.length - 1);
        return `${amount}${binarySuffixes[power]}`;
    }
    const [amount, power] = withoutFactor(billionths, 1000n, decimalSuffixes.length - 1);
    if (amount === 0n) {
        return "0";
    }
    const exponent = power * 3 - 9;
    return format === "exponent"
        ? `${amount}${exponent === 0 ? "" : `e${exponent}`}`
        : `${amount}${decimalSuffixes[power]}`;
}

/** @returns a quantity as a whole number; undefined if the value is not a quantity or has a fraction. */
export function wholeNumber(quantity: unknown): bigint | undefined {
    const parsed = parseQuantity(quantity);
    return parsed === undefined || parsed.billionths % billion !== 0n ? undefined : parsed.billionths / billion;
}

function scaleOf(suffix: string): { numerator: bigint; denominator: bigint; format: ParsedQuantity["format"] } {
    if (suffix.endsWith("i")) {
        const numerator = 1024n ** BigInt(binarySuffixes.indexOf(suffix));
        return { numerator, denominator: 1n, format: "binary" };
    }
    const isExponent = /^[eE][+-]?\d/.test(suffix);
    const exponent = isExponent ? Number(suffix.slice(1)) : (decimalSuffixes.indexOf(suffix) - 3) * 3;
    // With a larger exponent every amount is below a billionth or above the largest amount, so the result is the same.
    const power = BigInt(Math.min(Math.abs(exponent), 200));
    return {
        numerator: exponent > 0 ? 10n ** power : 1n,
        denominator: exponent < 0 ? 10n ** power : 1n,
        format: isExponent ? "exponent" : "decimal",
    };
}

function ceilingDivide(numerator: bigint, denominator: bigint): bigint {
    return (numerator + denominator - 1n) / denominator;
}

function withoutFactor(amount: bigint, factor: bigint, maxPower: number): [amount: bigint, power: number] {
    let power = 0;
    let rest = amount;
    while (rest !== 0n && power < maxPower && rest % factor === 0n) {
        rest /= factor;
        power += 1;
    }
    return [rest, power];
}
