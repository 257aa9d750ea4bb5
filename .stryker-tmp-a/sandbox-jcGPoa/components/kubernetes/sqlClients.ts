import type { TidbClusterManifest } from "../spec";
import { hasSqlTls } from "./tls";

/** Annotation of a cluster whose own SQL clients use no TLS. */
const skipAnnotation = "tidb.tidb.pingcap.com/skip-tls-when-connect-tidb";

/** Whether the cluster's own SQL clients talk TLS to TiDB: the dashboard, TiProxy. */
export function ownClientsUseSqlTls(manifest: TidbClusterManifest): boolean {
    return hasSqlTls(manifest) && manifest.metadata.annotations?.[skipAnnotation] === undefined;
}

/** Secret with the certificate that the cluster's own SQL clients show: the one named, else `<cluster>-tidb-client-secret`. */
export function sqlClientSecretName(manifest: TidbClusterManifest, named: string | undefined): string {
    return named ?? `${manifest.metadata.name}-tidb-client-secret`;
}
