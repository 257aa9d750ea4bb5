import type { ConfigInput } from "../componentSpec";
import { isDotted, isTable, pathOfKey, readConfig, type TomlTable } from "../kubernetes/toml";
import { type SpecProblem, specWarning } from "../problem";
import { configProblems } from "./config";

/**
 * Warns of keys with a dot. No such key is known to TiDB, TiKV, PD or TiFlash: what their documentation calls `log.level` is the key
 * `level` in the table `log`. Only names of labels may have dots.
 */
export function dottedKeyProblems(field: string, config: ConfigInput | undefined): SpecProblem[] {
    if (configProblems(field, config).length > 0) {
        return [];
    }
    return dottedKeys(readConfig(config)).map(([path, key]) => {
        const at = key.lastIndexOf(".");
        const table = path === "" ? key.slice(0, at) : `${path}.${key.slice(0, at)}`;
        return specWarning(
            field,
            `the key ${JSON.stringify(key)}${path === "" ? "" : ` in the table ${JSON.stringify(path)}`}`,
            `the key ${JSON.stringify(key.slice(at + 1))} in the table ${JSON.stringify(table)}`,
            "in quotes, or in a map, a name with a dot is one key, which the server does not read",
        );
    });
}

/** @returns each key with a dot, after the path of its table. */
function dottedKeys(config: TomlTable, path = ""): [string, string][] {
    return Object.entries(config).flatMap(([key, value]): [string, string][] => {
        if (isDotted(path, key)) {
            return [[path, key]];
        }
        return isTable(value) ? dottedKeys(value, pathOfKey(path, key)) : [];
    });
}
