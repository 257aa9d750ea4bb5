import { isObject, mapValues, type PropertyMap, type PropertyValue } from "../values";

const decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/**
 * Returns a quantity as the API server writes it: in the largest unit of its kind in which it is a whole number
 * (`1000m` is `1`, `1024Mi` is `1Gi`, `0.5` is `500m`). Text that is not a quantity is returned unchanged.
 */
export function canonicalQuantity(text: string): string {
    const match = /^(\d+)(?:\.(\d+))?(n|u|m|k|[KMGTPE]i?)?$/.exec(text);
    if (match === null) {
        return text;
    }
    const [, whole = "", fraction = "", unit = ""] = match;
    const isBinary = unit.endsWith("i");
    const [units, base] = isBinary ? [binary, 1024n] : [decimal, 1000n];
    // Computed in the smallest unit. Anything finer is rounded up, as in Kubernetes.
    const digits = BigInt(10 ** fraction.length);
    const scaled = BigInt(whole + fraction) * base ** BigInt(units.indexOf(unit));
    let amount = scaled / digits + (scaled % digits === 0n ? 0n : 1n);
    let index = 0;
    while (amount !== 0n && amount % base === 0n && index < units.length - 1) {
        amount /= base;
        index++;
    }
    return amount === 0n ? "0" : `${amount}${units[index]}`;
}

const holdQuantities = ["requests", "limits", "capacity", "hard"];

/**
 * Returns an object's properties with every quantity in canonical form, so a live object compares equal to its inputs.
 */
export function canonicalQuantities(properties: PropertyMap): PropertyMap {
    return mapValues(properties, (value, key) => canonical(value, holdQuantities.includes(key)));
}

function canonical(value: PropertyValue, isQuantities: boolean): PropertyValue {
    if (Array.isArray(value)) {
        return value.map((element) => canonical(element, false));
    }
    if (!isObject(value)) {
        return value;
    }
    return isQuantities
        ? mapValues(value, (quantity) => {
              const isText = typeof quantity === "string" || typeof quantity === "number";
              return isText ? canonicalQuantity(String(quantity)) : quantity;
          })
        : canonicalQuantities(value);
}
