import { majorVersion } from "../cluster";
import { hasSqlTls } from "../kubernetes/tls";
import { type MountedVolume, secretFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import type { PdSpec } from "./spec";

/** Folder in PD's container with the certificate with which the dashboard talks to TiDB. */
export const sqlClientTlsFolder = "/var/lib/tidb-client-tls";

/** Annotation of a cluster whose own SQL clients use no TLS. */
const skipAnnotation = "tidb.tidb.pingcap.com/skip-tls-when-connect-tidb";

/** Whether PD's dashboard, which came with PD 4, talks TLS to TiDB. */
export function dashboardUsesSqlTls(manifest: TidbClusterManifest, image: string): boolean {
    const isSkipped = manifest.metadata.annotations?.[skipAnnotation] !== undefined;
    return hasSqlTls(manifest) && !isSkipped && majorVersion(image) >= 4;
}

/** The certificate with which the dashboard talks to TiDB, where it does so by TLS. */
export function sqlClientTlsVolumes(manifest: TidbClusterManifest, spec: PdSpec, image: string): MountedVolume[] {
    if (!dashboardUsesSqlTls(manifest, image)) {
        return [];
    }
    const secret = spec.tlsClientSecretName ?? `${manifest.metadata.name}-tidb-client-secret`;
    return [secretFolder("tidb-client-tls", secret, sqlClientTlsFolder)];
}
