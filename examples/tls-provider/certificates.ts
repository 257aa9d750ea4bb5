import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import { requiredCertificates, type TidbClusterManifest } from "pulumi-tidb";

const hoursOfYear = 8760;
const config = new pulumi.Config();
/** The first `pulumi up` within this time before a certificate's expiry renews it. */
const earlyRenewalHours = config.getNumber("renewBeforeHours") ?? 30 * 24;
/** cert-manager's key usages, with the names that Pulumi's TLS provider uses. */
const allowedUse = { "server auth": "server_auth", "client auth": "client_auth" };

/** Creates a certificate authority for the cluster, and a Secret for every certificate that the cluster needs. */
export function certificates(cluster: TidbClusterManifest, options: pulumi.CustomResourceOptions): pulumi.Resource[] {
    const { name, namespace } = cluster.metadata;
    const newKey = (own: string) => new tls.PrivateKey(own, { algorithm: "ECDSA", ecdsaCurve: "P256" }, options);

    const rootKey = newKey(`${name}-ca`);
    const root = new tls.SelfSignedCert(
        `${name}-ca`,
        {
            privateKeyPem: rootKey.privateKeyPem,
            subject: { commonName: `TiDB cluster ${name}` },
            isCaCertificate: true,
            allowedUses: ["cert_signing", "crl_signing"],
            validityPeriodHours: 10 * hoursOfYear,
        },
        options,
    );
    return requiredCertificates(cluster).map(({ secretName, commonName, dnsNames, ipAddresses, usages }) => {
        const key = newKey(secretName);
        const request = new tls.CertRequest(
            secretName,
            { privateKeyPem: key.privateKeyPem, subject: { commonName }, dnsNames, ipAddresses },
            options,
        );
        const issued = new tls.LocallySignedCert(
            secretName,
            {
                certRequestPem: request.certRequestPem,
                caPrivateKeyPem: rootKey.privateKeyPem,
                caCertPem: root.certPem,
                allowedUses: ["digital_signature", "key_encipherment", ...usages.map((usage) => allowedUse[usage])],
                validityPeriodHours: hoursOfYear,
                // Members read a renewed certificate from the Secret without a restart.
                earlyRenewalHours,
            },
            options,
        );
        return new k8s.core.v1.Secret(
            secretName,
            {
                metadata: { name: secretName, namespace },
                type: "kubernetes.io/tls",
                stringData: {
                    "ca.crt": root.certPem,
                    "tls.crt": issued.certPem,
                    "tls.key": key.privateKeyPemPkcs8,
                },
            },
            options,
        );
    });
}
