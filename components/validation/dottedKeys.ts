import type { ConfigInput } from "../componentSpec";
import { readConfig } from "../kubernetes/toml";
import { type SpecProblem, specWarning } from "../problem";
import { configProblems } from "./config";

/**
 * Warns of keys with a dot at the top of a configuration. No such key is known to TiDB, TiKV, PD or TiFlash: what their documentation
 * calls `log.level` is the key `level` in the table `log`. Keys in tables, such as labels, may have dots.
 */
export function dottedKeyProblems(field: string, config: ConfigInput | undefined): SpecProblem[] {
    if (configProblems(field, config).length > 0) {
        return [];
    }
    return Object.keys(readConfig(config))
        .filter((key) => key.includes("."))
        .map((key) => {
            const at = key.lastIndexOf(".");
            return specWarning(
                field,
                `the key ${JSON.stringify(key)}`,
                `the key ${JSON.stringify(key.slice(at + 1))} in the table ${JSON.stringify(key.slice(0, at))}`,
                "in quotes, or in a map, a name with a dot is one key, which the server does not read",
            );
        });
}
