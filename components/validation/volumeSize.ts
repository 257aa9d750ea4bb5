import { parseQuantity } from "../../topology/quantity";
import { specError, type SpecProblem } from "../problem";
import { shown } from "./path";

/** 1Mi in billionths. A smaller volume is a mistake: most file systems need more for themselves. */
const smallest = 1024n * 1024n * 1_000_000_000n;

/**
 * Refuses volumes that cannot hold data. Kubernetes reads a number without a unit as bytes, so `storage: 100` is 100 bytes.
 * Large numbers of bytes are accepted. Sizes that are not quantities are reported elsewhere.
 */
export function volumeSizeProblems(field: string, size: unknown): SpecProblem[] {
    const amount = parseQuantity(size)?.billionths;
    if (amount === undefined || amount < 0n || amount >= smallest) {
        return [];
    }
    if (amount === 0n) {
        return [specError(field, shown(size), "a size above 0")];
    }
    const number = /^\d+$/.exec(String(size).trim())?.[0];
    return number === undefined
        ? [specError(field, shown(size), "a size of at least 1Mi, such as 100Gi")]
        : [
              specError(
                  field,
                  `${shown(size)}, which means ${number} ${number === "1" ? "byte" : "bytes"}`,
                  `a size with a unit, such as ${number}Gi`,
              ),
          ];
}
