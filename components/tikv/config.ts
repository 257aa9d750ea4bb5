import { caKey, certificateKey, clusterTlsFolder, hasClusterTls, privateKeyKey } from "../kubernetes/tls";
import { configValue, readConfig, type TomlTable, type TomlValue, withConfigValues } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import type { TikvSpec } from "./spec";

/** Durations that TiKV before 4.0 took as numbers of milliseconds. Numeric text is written as a number. */
const numericKeys = ["pessimistic-txn.wait-for-lock-timeout", "pessimistic-txn.wake-up-delay-duration"];

/** @returns TiKV's configuration: the user's, with the keys that other fields of the spec determine. */
export function tikvConfig(manifest: TidbClusterManifest, spec: TikvSpec): TomlTable {
    const config = readConfig(spec.config);
    return withConfigValues(config, { ...numbers(config), ...forced(manifest) });
}

function forced(manifest: TidbClusterManifest): Record<string, TomlValue> {
    const folder = clusterTlsFolder("tikv");
    return hasClusterTls(manifest)
        ? {
              "security.ca-path": `${folder}/${caKey}`,
              "security.cert-path": `${folder}/${certificateKey}`,
              "security.key-path": `${folder}/${privateKeyKey}`,
          }
        : {};
}

function numbers(config: TomlTable): Record<string, TomlValue> {
    const values: Record<string, TomlValue> = {};
    for (const key of numericKeys) {
        const value = configValue(config, key);
        if (typeof value === "string" && /^[+-]?\d{1,18}$/.test(value)) {
            values[key] = BigInt(value.replace("+", ""));
        }
    }
    return values;
}
