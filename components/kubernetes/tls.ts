import type { Component } from "../../topology/members";
import { clientSecretName, memberSecretName } from "../../topology/names";
import type { TidbClusterManifest } from "../spec";
import { type MountedVolume, secretFolder } from "./volumes";

/** Key of the authority's certificate in a Secret, as cert-manager lays it out. */
export const caKey = "ca.crt";

/** Key of the certificate in a Secret. */
export const certificateKey = "tls.crt";

/** Key of the private key in a Secret. */
export const privateKeyKey = "tls.key";

/** Whether members talk TLS to each other. */
export function hasClusterTls(manifest: TidbClusterManifest): boolean {
    return manifest.spec.tlsCluster?.enabled === true;
}

/** Whether discovery talks TLS, which it only does where members do. */
export function hasDiscoveryTls(manifest: TidbClusterManifest): boolean {
    return hasClusterTls(manifest) && manifest.spec.tlsCluster?.enableDiscoveryMTLS === true;
}

/** Whether TiDB offers TLS to SQL clients. */
export function hasSqlTls(manifest: TidbClusterManifest): boolean {
    return manifest.spec.tidb?.tlsClient?.enabled === true;
}

/** Scheme of the members' URLs. */
export function scheme(manifest: TidbClusterManifest): "http" | "https" {
    return hasClusterTls(manifest) ? "https" : "http";
}

/** Folder in a member's container that holds its certificate. */
export function clusterTlsFolder(member: Component): string {
    return `/var/lib/${member}-tls`;
}

/** A member's certificate, where members talk TLS. */
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
