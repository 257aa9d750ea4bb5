import { Pkcs10CertificateRequest, SubjectKeyIdentifierExtension, X509Certificate } from "@peculiar/x509";
import { certificateComputed, certificateInputs, createCertificate } from "./certificate";
import { signerOf } from "./keys";
import type { ResourceKind } from "./resourceKind";
import { renewal } from "./validity";

const subjectAltName = "2.5.29.17";

/** A certificate for a request, signed by a given authority. */
export const locallySignedCert: ResourceKind = {
    inputs: {
        ...certificateInputs,
        caCertPem: { required: true },
        caPrivateKeyPem: { required: true },
        certRequestPem: { required: true },
    },
    computed: [...certificateComputed, "caKeyAlgorithm"],
    outlived: renewal,
    create: async (inputs, now) => {
        const signer = await signerOf(inputs.caPrivateKeyPem as string, "caPrivateKeyPem");
        const authority = parsed("caCertPem", () => new X509Certificate(inputs.caCertPem as string));
        const request = parsed("certRequestPem", () => new Pkcs10CertificateRequest(inputs.certRequestPem as string));
        if (!signer.spki.equals(Buffer.from(authority.publicKey.rawData))) {
            throw new Error("caPrivateKeyPem is not the key of the certificate in caCertPem");
        }
        const names = request.extensions.filter(({ type }) => type === subjectAltName);
        const isOwn = request.subjectName.toString() === authority.subjectName.toString();
        const { id, outputs } = await createCertificate(
            inputs,
            {
                subject: request.subjectName,
                issuer: authority.subjectName,
                publicKey: request.publicKey,
                signer,
                authorityKeyId: isOwn ? undefined : authority.getExtension(SubjectKeyIdentifierExtension)?.keyId,
                names,
            },
            now,
        );
        return { id, outputs: { ...outputs, caKeyAlgorithm: signer.algorithm } };
    },
};

function parsed<T>(property: string, parse: () => T): T {
    try {
        return parse();
    } catch (error) {
        throw new Error(`${property} cannot be read: ${(error as Error).message}`);
    }
}
