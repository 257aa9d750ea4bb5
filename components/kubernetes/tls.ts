import type { Component } from "../../topology/members";
import { clientSecretName, memberSecretName } from "../../topology/names";
import type { TidbClusterManifest } from "../spec";
import { type MountedVolume, secretFolder } from "./volumes";

/** Key of the CA certificate in a Secret, as cert-manager writes it. */
export const caKey = "ca.crt";

/** Key of the certificate in a Secret. */
export const certificateKey = "tls.crt";

/** Key of the private key in a Secret. */
export const privateKeyKey = "tls.key";

/** Whether members connect to each other with TLS. */
export function hasClusterTls(manifest: TidbClusterManifest): boolean {
    return manifest.spec.tlsCluster?.enabled === true;
}

/** Whether discovery uses TLS, which it does only if members do. */
export function hasDiscoveryTls(manifest: TidbClusterManifest): boolean {
    return hasClusterTls(manifest) && manifest.spec.tlsCluster?.enableDiscoveryMTLS === true;
}

/** Whether TiDB offers TLS to SQL clients. */
export function hasSqlTls(manifest: TidbClusterManifest): boolean {
    return manifest.spec.tidb?.tlsClient?.enabled === true;
}

/** @returns the scheme of the members' URLs. */
export function scheme(manifest: TidbClusterManifest): "http" | "https" {
    return hasClusterTls(manifest) ? "https" : "http";
}

/** @returns the folder in a member's container that contains its certificate. */
export function clusterTlsFolder(member: Component): string {
    return `/var/lib/${member}-tls`;
}

/** @returns the volume with a member's certificate if members use TLS, and optionally the volume with the client certificate. */
export function clusterTlsVolumes(
    manifest: TidbClusterManifest,
    member: Component,
    mountClusterClientSecret = false,
): MountedVolume[] {
    const cluster = manifest.metadata.name;
    if (!hasClusterTls(manifest)) {
        return [];
    }
    const own = secretFolder(`${member}-tls`, memberSecretName(cluster, member), clusterTlsFolder(member));
    return mountClusterClientSecret
        ? [own, secretFolder("cluster-client-tls", clientSecretName(cluster), "/var/lib/cluster-client-tls")]
        : [own];
}
