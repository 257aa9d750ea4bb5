import { createHash } from "node:crypto";
import type { ConfigDigests } from "../../provider/lifecycle/configEffects/configChange";
import { inOrder, isTable, type TomlTable, type TomlValue } from "./toml";

/** Hexadecimal digits of a digest: enough to tell values apart, and too few to find one that is secret. */
const digits = 8;

/**
 * What a gate is told of a member's configuration: dotted key to a digest of its value, so that a preview can say which
 * keys change, while the state holds no value, which may be a secret.
 *
 * @param path What comes before the keys. Default: nothing.
 */
export function configDigests(config: TomlTable, path = ""): ConfigDigests {
    const leaves = leavesOf(inOrder(config), path);
    return Object.fromEntries(leaves.map(([key, value]) => [key, digest(key, value)]));
}

function leavesOf(value: TomlValue, path: string): [string, TomlValue][] {
    if (!isTable(value)) {
        return [[path, value]];
    }
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, path === "" ? key : `${path}.${key}`));
}

/** The key is part of it, so that equal values of two keys cannot be told to be equal. */
function digest(key: string, value: TomlValue): string {
    const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? `${inner}n` : inner));
    return createHash("sha256").update(`${key}\n${text}`).digest("hex").slice(0, digits);
}
