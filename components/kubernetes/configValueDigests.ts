import { createHash } from "node:crypto";
import type { ConfigDigests } from "../../provider/lifecycle/configEffects/configChange";
import { inOrder, isTable, pathOfKey, type TomlTable, type TomlValue } from "./toml";

/** Number of hexadecimal digits of a digest: enough to tell values apart, too few to recover a secret value. */
const digits = 8;

/**
 * Returns a digest of each value in a member's configuration, by dotted key, for the gates. A preview can then list the keys
 * that change, and the state contains no values, which may be secret.
 *
 * @param path Prefix of the keys. Default: none.
 */
export function configDigests(config: TomlTable, path = ""): ConfigDigests {
    const leaves = leavesOf(inOrder(config), path);
    return Object.fromEntries(leaves.map(([key, value]) => [key, digest(key, value)]));
}

function leavesOf(value: TomlValue, path: string): [string, TomlValue][] {
    if (!isTable(value)) {
        return [[path, value]];
    }
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, pathOfKey(path, key)));
}

/** The digest includes the key, so it does not reveal that two keys have the same value. */
function digest(key: string, value: TomlValue): string {
    const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? `${inner}n` : inner));
    return createHash("sha256").update(`${key}\n${text}`).digest("hex").slice(0, digits);
}
