import { caKey, certificateKey, clusterTlsFolder, hasClusterTls, hasSqlTls, privateKeyKey } from "../kubernetes/tls";
import { configValue, readConfig, type TomlTable, type TomlValue, withConfigValues } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import type { TidbSpec } from "./spec";
import { authTokenFolder, bootstrapSqlFile, sqlServerTlsFolder } from "./volumes";

/** Default number of old log files that TiDB keeps (tidb-operator's default). */
const logFileBackups = 3n;

/** @returns TiDB's configuration: the user's, with the keys that other fields of the spec determine. */
export function tidbConfig(manifest: TidbClusterManifest, spec: TidbSpec): TomlTable {
    const config = readConfig(spec.config);
    const backups = configValue(config, "log.file.max-backups") ?? logFileBackups;
    return withConfigValues(config, { "log.file.max-backups": backups, ...forced(manifest, spec) });
}

function forced(manifest: TidbClusterManifest, spec: TidbSpec): Record<string, TomlValue> {
    const values: Record<string, TomlValue> = {};
    if (spec.tokenBasedAuthEnabled === true) {
        values["security.auth-token-jwks"] = `${authTokenFolder}/tidb_auth_token_jwks.json`;
    }
    if (hasClusterTls(manifest)) {
        const folder = clusterTlsFolder("tidb");
        values["security.cluster-ssl-ca"] = `${folder}/${caKey}`;
        values["security.cluster-ssl-cert"] = `${folder}/${certificateKey}`;
        values["security.cluster-ssl-key"] = `${folder}/${privateKeyKey}`;
        // TiProxy moves sessions between servers, so the servers must trust each other's tokens.
        if ((manifest.spec.tiproxy?.replicas ?? 0) > 0) {
            values["security.session-token-signing-cert"] = `${folder}/${certificateKey}`;
            values["security.session-token-signing-key"] = `${folder}/${privateKeyKey}`;
        }
    }
    if (hasSqlTls(manifest)) {
        if (spec.tlsClient?.disableClientAuthn !== true) {
            values["security.ssl-ca"] = `${sqlServerTlsFolder}/${caKey}`;
        }
        values["security.ssl-cert"] = `${sqlServerTlsFolder}/${certificateKey}`;
        values["security.ssl-key"] = `${sqlServerTlsFolder}/${privateKeyKey}`;
    }
    if (spec.bootstrapSQLConfigMapName) {
        values["initialize-sql-file"] = bootstrapSqlFile;
    }
    return values;
}
