import { skipSqlTlsAnnotation } from "../../topology/annotations";
import { sqlClientSecretName } from "../../topology/names";
import type { TidbClusterManifest } from "../spec";
import { hasSqlTls } from "./tls";

/** Whether the cluster's own SQL clients talk TLS to TiDB: the dashboard, TiProxy. */
export function ownClientsUseSqlTls(manifest: TidbClusterManifest): boolean {
    return hasSqlTls(manifest) && manifest.metadata.annotations?.[skipSqlTlsAnnotation] === undefined;
}

/** Secret with the certificate that the cluster's own SQL clients show: the one named, else `<cluster>-tidb-client-secret`. */
export function sqlClientSecret(manifest: TidbClusterManifest, named: string | undefined): string {
    return named ?? sqlClientSecretName(manifest.metadata.name);
}
