import { authTokenSecretName, sqlServerSecretName } from "../../topology/names";
import { hasSqlTls, clusterTlsVolumes } from "../kubernetes/tls";
import { configMapFile, type MountedVolume, secretFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import type { TidbSpec } from "./spec";

/** Folder with the certificate that TiDB presents to SQL clients. */
export const sqlServerTlsFolder = "/var/lib/tidb-server-tls";

/** Folder with the keys of `tidb_auth_token`. */
export const authTokenFolder = "/var/lib/tidb-auth-token";

const bootstrapSql = { folder: "/etc/tidb-bootstrap", name: "bootstrap.sql" };

/** File with the SQL statements that TiDB runs once, when the cluster first starts. */
export const bootstrapSqlFile = `${bootstrapSql.folder}/${bootstrapSql.name}`;

/** @returns the volumes that fields of the spec add to TiDB. */
export function tidbVolumes(manifest: TidbClusterManifest, spec: TidbSpec): MountedVolume[] {
    const cluster = manifest.metadata.name;
    const volumes: MountedVolume[] = [];
    if (spec.tokenBasedAuthEnabled === true) {
        volumes.push(secretFolder("tidb-auth-token", authTokenSecretName(cluster), authTokenFolder));
    }
    if (spec.bootstrapSQLConfigMapName) {
        const configMap = spec.bootstrapSQLConfigMapName;
        volumes.push(configMapFile("tidb-bootstrap-sql", configMap, "bootstrap-sql", bootstrapSql));
    }
    volumes.push(...clusterTlsVolumes(manifest, "tidb"));
    if (hasSqlTls(manifest)) {
        volumes.push(secretFolder("tidb-server-tls", sqlServerSecretName(cluster), sqlServerTlsFolder));
    }
    return volumes;
}
