import { caKey, certificateKey, clusterTlsFolder, hasClusterTls, privateKeyKey } from "../kubernetes/tls";
import { configValue, readConfig, type TomlTable, type TomlValue, withConfigValues } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import type { PumpSpec } from "./spec";

/** @returns Pump's configuration: the user's, with the certificates if members use TLS. */
export function pumpConfig(manifest: TidbClusterManifest, spec: PumpSpec): TomlTable {
    return withConfigValues(readConfig(spec.config), forced(manifest));
}

/** @returns Pump's log level: from its configuration, else `info`. */
export function pumpLogLevel(spec: PumpSpec): string {
    const level = configValue(readConfig(spec.config), "log-level");
    return typeof level === "string" ? level : "info";
}

function forced(manifest: TidbClusterManifest): Record<string, TomlValue> {
    const folder = clusterTlsFolder("pump");
    return hasClusterTls(manifest)
        ? {
              "security.ssl-ca": `${folder}/${caKey}`,
              "security.ssl-cert": `${folder}/${certificateKey}`,
              "security.ssl-key": `${folder}/${privateKeyKey}`,
          }
        : {};
}
