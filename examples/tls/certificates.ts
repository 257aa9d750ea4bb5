import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { requiredCertificates, type TidbClusterManifest } from "pulumi-tidb";

const apiVersion = "cert-manager.io/v1";
type Annotations = Record<string, string>;
/** Makes Pulumi wait until cert-manager has written the Secret. */
const waitForReady: Annotations = { "pulumi.com/waitFor": "condition=Ready" };

/**
 * Creates a certificate authority for the cluster, and every certificate that the cluster needs. cert-manager issues
 * and renews them.
 */
export function certificates(cluster: TidbClusterManifest, options: pulumi.CustomResourceOptions): pulumi.Resource[] {
    const { name, namespace } = cluster.metadata;
    const make = (kind: string, own: string, spec: object, dependsOn: pulumi.Resource[], annotations?: Annotations) =>
        new k8s.apiextensions.CustomResource(
            `${own}-${kind.toLowerCase()}`,
            { apiVersion, kind, metadata: { name: own, namespace, annotations }, spec },
            { ...options, dependsOn },
        );
    const certificate = (own: string, issuer: pulumi.Resource, issuerName: string, spec: object) =>
        make("Certificate", own, { ...spec, issuerRef: { name: issuerName, kind: "Issuer" } }, [issuer], waitForReady);

    const root = make("Issuer", `${name}-self-signed`, { selfSigned: {} }, []);
    const authority = certificate(`${name}-ca`, root, `${name}-self-signed`, {
        secretName: `${name}-ca-secret`,
        commonName: `TiDB cluster ${name}`,
        isCA: true,
        duration: "87600h0m0s",
    });
    const issuer = make("Issuer", name, { ca: { secretName: `${name}-ca-secret` } }, [authority]);
    return requiredCertificates(cluster).map(({ secretName, commonName, dnsNames, ipAddresses, usages }) =>
        certificate(secretName.replace(/-secret$/, ""), issuer, name, {
            secretName,
            commonName,
            ...(dnsNames.length > 0 ? { dnsNames, ipAddresses } : {}),
            usages,
            duration: "8760h0m0s",
            renewBefore: "720h0m0s",
        }),
    );
}
