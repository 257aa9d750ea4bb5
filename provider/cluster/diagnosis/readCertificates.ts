import { X509Certificate } from "node:crypto";
import { certificateSecretNames } from "../../../topology/certificateSecrets";
import type { CertificateFacts, PodFacts } from "../../lifecycle/diagnosis/facts";
import { known, notKnown } from "../../lifecycle/vocabulary/evidence";
import { KubernetesApiError } from "../apiCall";
import type { SecretCalls } from "../secretCalls";

export type SecretReader = Pick<SecretCalls, "readSecret">;

/** The keys of a Secret that have certificates. */
const keys = ["tls.crt", "ca.crt"];

/** Reads the certificates that pods mount from Secrets with a name of this package. Never rejects because one may not be read. */
export async function readCertificates(
    secrets: SecretReader,
    { cluster, namespace }: { cluster: string; namespace: string },
    pods: readonly PodFacts[],
    now: () => number,
): Promise<CertificateFacts[]> {
    const ours = certificateSecretNames(cluster);
    const mounted = new Map<string, string[]>();
    for (const { name, pod } of pods) {
        for (const { secret } of pod?.spec?.volumes ?? []) {
            if (secret?.secretName !== undefined && ours.includes(secret.secretName)) {
                mounted.set(secret.secretName, [...(mounted.get(secret.secretName) ?? []), name]);
            }
        }
    }
    return Promise.all(
        [...mounted].map(async ([secret, names]): Promise<CertificateFacts> => ({
            secret,
            pods: names,
            certificate: await readCertificate(secrets, namespace, secret, now),
        })),
    );
}

/** Reads the certificate in one Secret. Never rejects because it may not be read. */
export async function readCertificate(
    secrets: SecretReader,
    namespace: string,
    secret: string,
    now: () => number,
): Promise<CertificateFacts["certificate"]> {
    try {
        const data = await secrets.readSecret(namespace, secret);
        return data === undefined ? known("absent", "the API server", now()) : validity(data, secret, now());
    } catch (error) {
        if (error instanceof KubernetesApiError) {
            return notKnown(error.message);
        }
        throw error;
    }
}

/** The certificate of the Secret, or of its CA, that expires first. */
function validity(data: Record<string, string>, secret: string, at: number): CertificateFacts["certificate"] {
    try {
        const all = keys
            .flatMap(
                (key) => (data[key] ?? "").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [],
            )
            .map((text) => new X509Certificate(text))
            .map(({ subject, validFrom, validTo }) => ({
                subject,
                from: Date.parse(validFrom),
                to: Date.parse(validTo),
            }));
        const [first] = [...all].sort((one, other) => one.to - other.to);
        return first === undefined
            ? notKnown(`Secret ${secret} has no certificate in ${keys.join(" or ")}`)
            : known({ ...first, from: Math.max(...all.map(({ from }) => from)) }, `Secret ${secret}`, at);
    } catch (error) {
        return notKnown(`Secret ${secret} has no valid certificate: ${(error as Error).message}`);
    }
}
