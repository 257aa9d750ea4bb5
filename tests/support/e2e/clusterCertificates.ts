import type { TidbClusterManifest } from "../../../components/spec";
import { requiredCertificates } from "../../../components/certificates";
import { type Issued, issue, secretData } from "../certificates/certificates";
import type { Arena } from "./arena";
import { clusterConfig } from "./stack";

/** The fields of the spec with which members use TLS among each other. */
export const withTls = { tlsCluster: { enabled: true } };

/** Writes every Secret of the parameterised cluster with new certificates of one authority. */
export async function writeCertificates(
    { kubernetes }: Pick<Arena, "kubernetes">,
    namespace: string,
    authority: Issued,
): Promise<void> {
    const { spec } = JSON.parse(clusterConfig(namespace, { spec: withTls }).cluster) as TidbClusterManifest;
    const required = requiredCertificates({ metadata: { name: "demo", namespace }, spec });
    for (const { secretName, commonName, dnsNames, ipAddresses, usages } of required) {
        const issued = await issue(authority, [commonName, ...dnsNames, ...ipAddresses], { usages });
        await kubernetes.writeSecret(namespace, secretName, secretData(authority, issued));
    }
}
