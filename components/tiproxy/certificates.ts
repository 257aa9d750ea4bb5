import { clientSecretName, memberSecretName, sqlServerSecretName } from "../../topology/names";
import { ownClientsUseSqlTls, sqlClientSecret } from "../kubernetes/sqlClients";
import { caKey, certificateKey, clusterTlsFolder, hasClusterTls, hasSqlTls, privateKeyKey } from "../kubernetes/tls";
import type { TomlValue } from "../kubernetes/toml";
import { type MountedVolume, secretFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import type { TiproxySpec } from "./spec";

/**
 * The certificates that TiProxy has, by the layout of `spec.tiproxy.certLayout`, and where its configuration finds them
 * (tidb-operator pkg/manager/member/tiproxy_member_manager.go).
 */
export interface TiproxyCertificates {
    readonly volumes: MountedVolume[];
    /** By dotted path. */
    readonly config: Record<string, TomlValue>;
    /** Holds only where the user's configuration has nothing at the path. */
    readonly defaults: Record<string, TomlValue>;
}

const clusterClientFolder = "/var/lib/cluster-client-tls";
const serverFolder = "/var/lib/tiproxy-server-tls";
const httpServerFolder = "/var/lib/tiproxy-http-server-tls";
const sqlFolder = "/var/lib/tiproxy-sql-tls";

/** @param skipsAuthority Whether the user's configuration says something about `security.sql-tls.skip-ca`. */
export function tiproxyCertificates(
    manifest: TidbClusterManifest,
    spec: TiproxySpec,
    skipsAuthority: boolean,
): TiproxyCertificates {
    return spec.certLayout === "v1"
        ? currentLayout(manifest, spec, skipsAuthority)
        : olderLayout(manifest, spec, skipsAuthority);
}

function currentLayout(manifest: TidbClusterManifest, spec: TiproxySpec, skipsAuthority: boolean): TiproxyCertificates {
    const own = clusterTlsFolder("tiproxy");
    return {
        volumes: [
            ...(hasClusterTls(manifest) ? [clusterClientVolume(manifest), ownVolume(manifest, own)] : []),
            ...(hasSqlTls(manifest) ? [serverVolume(manifest)] : []),
        ],
        config: {
            ...(hasClusterTls(manifest) ? certificateAt("cluster-tls", own) : {}),
            ...(hasSqlTls(manifest) ? keyPairAt("server-tls", serverFolder) : {}),
            // TiDB's server certificate is of the same authority as TiProxy's, and TiDB asks for none in return.
            ...(usesSqlTls(manifest, spec) ? authorityOf(manifest, serverFolder, skipsAuthority) : {}),
            ...certificateAt("server-http-tls", own),
            "security.server-http-tls.skip-ca": true,
        },
        defaults: hasSqlTls(manifest) ? { "security.server-tls.skip-ca": true } : {},
    };
}

function olderLayout(manifest: TidbClusterManifest, spec: TiproxySpec, skipsAuthority: boolean): TiproxyCertificates {
    const [isCluster, isSql, asksTidb] = [hasClusterTls(manifest), hasSqlTls(manifest), usesSqlTls(manifest, spec)];
    const client = sqlClientSecret(manifest, spec.tlsClientSecretName);
    const showsCertificate = asksTidb && manifest.spec.tidb?.tlsClient?.disableClientAuthn !== true;
    return {
        volumes: [
            ...(isCluster ? [clusterClientVolume(manifest)] : []),
            ...(isSql ? [serverVolume(manifest)] : []),
            ...(asksTidb ? [secretFolder("tidb-client-tls", client, sqlFolder)] : []),
            ...(isCluster && !isSql ? [ownVolume(manifest, httpServerFolder)] : []),
        ],
        config: {
            ...(isCluster ? certificateAt("cluster-tls", clusterClientFolder) : {}),
            ...(isSql ? certificateAt("server-tls", serverFolder) : {}),
            ...(asksTidb ? authorityOf(manifest, sqlFolder, skipsAuthority) : {}),
            ...(showsCertificate ? keyPairAt("sql-tls", sqlFolder) : {}),
            ...(isCluster || isSql
                ? {
                      ...certificateAt("server-http-tls", isSql ? serverFolder : httpServerFolder),
                      "security.server-http-tls.skip-ca": true,
                  }
                : {}),
        },
        defaults: isSql ? { "security.server-tls.skip-ca": true } : {},
    };
}

function usesSqlTls(manifest: TidbClusterManifest, spec: TiproxySpec): boolean {
    return hasSqlTls(manifest) && (spec.sslEnableTiDB === true || ownClientsUseSqlTls(manifest));
}

/** By which authority TiProxy checks TiDB's certificate, if it does. */
function authorityOf(manifest: TidbClusterManifest, folder: string, isSaid: boolean): Record<string, TomlValue> {
    return !isSaid && manifest.spec.tidb?.tlsClient?.skipInternalClientCA === true
        ? { "security.sql-tls.skip-ca": true }
        : { "security.sql-tls.ca": `${folder}/${caKey}` };
}

function certificateAt(table: string, folder: string): Record<string, TomlValue> {
    return { [`security.${table}.ca`]: `${folder}/${caKey}`, ...keyPairAt(table, folder) };
}

function keyPairAt(table: string, folder: string): Record<string, TomlValue> {
    return {
        [`security.${table}.cert`]: `${folder}/${certificateKey}`,
        [`security.${table}.key`]: `${folder}/${privateKeyKey}`,
    };
}

function clusterClientVolume(manifest: TidbClusterManifest): MountedVolume {
    return secretFolder("cluster-client-tls", clientSecretName(manifest.metadata.name), clusterClientFolder);
}

function ownVolume(manifest: TidbClusterManifest, folder: string): MountedVolume {
    return secretFolder("tiproxy-tls", memberSecretName(manifest.metadata.name, "tiproxy"), folder);
}

function serverVolume(manifest: TidbClusterManifest): MountedVolume {
    return secretFolder("tidb-server-tls", sqlServerSecretName(manifest.metadata.name), serverFolder);
}
