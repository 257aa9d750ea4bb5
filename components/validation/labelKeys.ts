import { type SpecProblem, specError } from "../problem";
import { shown } from "./path";

/** A key that PD takes as that of a store's label (tikv/pd pkg/schedule/config/util.go). */
const labelKey = /^\$?[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$/;
/** The label by which PD tells TiFlash from TiKV. */
const engineKey = "engine";

/** @returns the keys that cannot be labels of a store. */
export function labelKeyProblems(field: string, keys: readonly string[] = []): SpecProblem[] {
    return keys.flatMap((key, index) => {
        const isFit = labelKey.test(key) && key.toLowerCase() !== engineKey;
        return isFit
            ? []
            : [
                  specError(
                      `${field}[${index}]`,
                      shown(key),
                      `the key of a node's label that PD takes, such as disk-type`,
                  ),
              ];
    });
}
