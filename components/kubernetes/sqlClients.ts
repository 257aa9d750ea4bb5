import { skipSqlTlsAnnotation } from "../../topology/annotations";
import { sqlClientSecretName } from "../../topology/names";
import type { TidbClusterManifest } from "../spec";
import { hasSqlTls } from "./tls";

/** Whether the cluster's own SQL clients, TiDB Dashboard and TiProxy, connect to TiDB with TLS. */
export function ownClientsUseSqlTls(manifest: TidbClusterManifest): boolean {
    return hasSqlTls(manifest) && manifest.metadata.annotations?.[skipSqlTlsAnnotation] === undefined;
}

/** @returns the Secret with the certificate of the cluster's own SQL clients: the named one, else `<cluster>-tidb-client-secret`. */
export function sqlClientSecret(manifest: TidbClusterManifest, named: string | undefined): string {
    return named ?? sqlClientSecretName(manifest.metadata.name);
}
