import { clientSecretName, memberSecretName, sqlServerSecretName } from "../../topology/names";
import { ownClientsUseSqlTls, sqlClientSecret } from "../kubernetes/sqlClients";
import { caKey, certificateKey, clusterTlsFolder, hasClusterTls, hasSqlTls, privateKeyKey } from "../kubernetes/tls";
import type { TomlValue } from "../kubernetes/toml";
import { type MountedVolume, secretFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import type { TiproxySpec } from "./spec";

/**
 * TiProxy's certificates in the layout of `spec.tiproxy.certLayout`, and their paths in its configuration (tidb-operator
 * pkg/manager/member/tiproxy_member_manager.go).
 */
export interface TiproxyCertificates {
    readonly volumes: MountedVolume[];
    /** Configuration values, by dotted path. */
    readonly config: Record<string, TomlValue>;
    /** Configuration values that the user's configuration can override, by dotted path. */
    readonly defaults: Record<string, TomlValue>;
}

const clusterClientFolder = "/var/lib/cluster-client-tls";
const serverFolder = "/var/lib/tiproxy-server-tls";
const httpServerFolder = "/var/lib/tiproxy-http-server-tls";
const sqlFolder = "/var/lib/tiproxy-sql-tls";

/** @param setsSkipCa Whether the user's configuration sets `security.sql-tls.skip-ca`. */
export function tiproxyCertificates(
    manifest: TidbClusterManifest,
    spec: TiproxySpec,
    setsSkipCa: boolean,
): TiproxyCertificates {
    return spec.certLayout === "v1"
        ? currentLayout(manifest, spec, setsSkipCa)
        : olderLayout(manifest, spec, setsSkipCa);
}

function currentLayout(manifest: TidbClusterManifest, spec: TiproxySpec, setsSkipCa: boolean): TiproxyCertificates {
    const own = clusterTlsFolder("tiproxy");
    return {
        volumes: [
            ...(hasClusterTls(manifest) ? [clusterClientVolume(manifest), ownVolume(manifest, own)] : []),
            ...(hasSqlTls(manifest) ? [serverVolume(manifest)] : []),
        ],
        config: {
            ...(hasClusterTls(manifest) ? certificateAt("cluster-tls", own) : {}),
            ...(hasSqlTls(manifest) ? keyPairAt("server-tls", serverFolder) : {}),
            // TiDB's server certificate has the same CA as TiProxy's, and TiDB does not request a client certificate.
            ...(usesSqlTls(manifest, spec) ? authorityOf(manifest, serverFolder, setsSkipCa) : {}),
            ...certificateAt("server-http-tls", own),
            "security.server-http-tls.skip-ca": true,
        },
        defaults: hasSqlTls(manifest) ? { "security.server-tls.skip-ca": true } : {},
    };
}

function olderLayout(manifest: TidbClusterManifest, spec: TiproxySpec, setsSkipCa: boolean): TiproxyCertificates {
    const [isCluster, isSql, usesTls] = [hasClusterTls(manifest), hasSqlTls(manifest), usesSqlTls(manifest, spec)];
    const client = sqlClientSecret(manifest, spec.tlsClientSecretName);
    const showsCertificate = usesTls && manifest.spec.tidb?.tlsClient?.disableClientAuthn !== true;
    return {
        volumes: [
            ...(isCluster ? [clusterClientVolume(manifest)] : []),
            ...(isSql ? [serverVolume(manifest)] : []),
            ...(usesTls ? [secretFolder("tidb-client-tls", client, sqlFolder)] : []),
            ...(isCluster && !isSql ? [ownVolume(manifest, httpServerFolder)] : []),
        ],
        config: {
            ...(isCluster ? certificateAt("cluster-tls", clusterClientFolder) : {}),
            ...(isSql ? certificateAt("server-tls", serverFolder) : {}),
            ...(usesTls ? authorityOf(manifest, sqlFolder, setsSkipCa) : {}),
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

/** @returns the CA with which TiProxy verifies TiDB's certificate, or the setting that skips the verification. */
function authorityOf(manifest: TidbClusterManifest, folder: string, setsSkipCa: boolean): Record<string, TomlValue> {
    return !setsSkipCa && manifest.spec.tidb?.tlsClient?.skipInternalClientCA === true
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
