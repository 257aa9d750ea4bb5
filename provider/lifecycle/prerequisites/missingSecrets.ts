/** A Secret with a certificate that pods mount or gates present. */
export interface CertificateSecret {
    readonly secretName: string;
    /** Common name of the certificate: whose it is. */
    readonly commonName: string;
}

/**
 * Returns the warning about Secrets with certificates that do not exist. It is only a warning: cert-manager, for example,
 * fills a Secret some time after its Certificate was created, and the kubelet waits for a Secret that a pod mounts.
 *
 * @param mayBeMade whether the program may create the Secrets before the cluster, in the same update.
 */
export function missingSecrets(
    namespace: string,
    missing: readonly CertificateSecret[],
    mayBeMade: boolean,
): string | undefined {
    if (missing.length === 0) {
        return undefined;
    }
    const many = missing.length > 1;
    const list = missing.map(({ secretName, commonName }) => `- ${secretName}: the certificate of ${commonName}`);
    const they = many ? "these Secrets" : "this Secret";
    const how = `A cert-manager Certificate with that secretName creates a Secret, or the program does; \`requiredCertificates\` lists what each certificate must be valid for`;
    const consequence = "does not start, and the update waits for it until its timeout";
    const next = mayBeMade
        ? `If something that the TidbCluster depends on creates ${they}, ignore this warning. Otherwise a pod that mounts one ${consequence}`
        : `Create ${they} first: a pod that mounts one ${consequence}`;
    return [
        `namespace ${namespace} lacks ${many ? "Secrets" : "a Secret"} that TLS needs:`,
        ...list,
        `${next}. ${how}`,
    ].join("\n");
}
