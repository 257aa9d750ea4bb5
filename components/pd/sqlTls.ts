import { majorVersion } from "../cluster";
import { ownClientsUseSqlTls, sqlClientSecret } from "../kubernetes/sqlClients";
import { type MountedVolume, secretFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import type { PdSpec } from "./spec";

/** Folder in PD's container with TiDB Dashboard's client certificate for TiDB. */
export const sqlClientTlsFolder = "/var/lib/tidb-client-tls";

/** Whether TiDB Dashboard, which is part of PD from version 4 on, connects to TiDB with TLS. */
export function dashboardUsesSqlTls(manifest: TidbClusterManifest, image: string): boolean {
    return ownClientsUseSqlTls(manifest) && majorVersion(image) >= 4;
}

/** @returns the volume with TiDB Dashboard's client certificate for TiDB, if it connects with TLS. */
export function sqlClientTlsVolumes(manifest: TidbClusterManifest, spec: PdSpec, image: string): MountedVolume[] {
    return dashboardUsesSqlTls(manifest, image)
        ? [secretFolder("tidb-client-tls", sqlClientSecret(manifest, spec.tlsClientSecretName), sqlClientTlsFolder)]
        : [];
}
