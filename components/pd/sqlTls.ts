import { majorVersion } from "../cluster";
import { ownClientsUseSqlTls, sqlClientSecret } from "../kubernetes/sqlClients";
import { type MountedVolume, secretFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import type { PdSpec } from "./spec";

/** Folder in PD's container with the certificate with which the dashboard talks to TiDB. */
export const sqlClientTlsFolder = "/var/lib/tidb-client-tls";

/** Whether PD's dashboard, which came with PD 4, talks TLS to TiDB. */
export function dashboardUsesSqlTls(manifest: TidbClusterManifest, image: string): boolean {
    return ownClientsUseSqlTls(manifest) && majorVersion(image) >= 4;
}

/** The certificate with which the dashboard talks to TiDB, where it does so by TLS. */
export function sqlClientTlsVolumes(manifest: TidbClusterManifest, spec: PdSpec, image: string): MountedVolume[] {
    return dashboardUsesSqlTls(manifest, image)
        ? [secretFolder("tidb-client-tls", sqlClientSecret(manifest, spec.tlsClientSecretName), sqlClientTlsFolder)]
        : [];
}
