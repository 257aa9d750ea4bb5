import { PublicKey, SubjectKeyIdentifierExtension } from "@peculiar/x509";
import { alternativeNameInputs, alternativeNames } from "./alternativeNames";
import { certificateComputed, certificateInputs, createCertificate } from "./certificate";
import { signerOf } from "./keys";
import type { ResourceKind } from "./resourceKind";
import { nameOf, subjectProblem } from "./subject";
import { renewal } from "./validity";

/** A certificate that is its own authority. */
export const selfSignedCert: ResourceKind = {
    inputs: {
        ...certificateInputs,
        privateKeyPem: { required: true },
        subject: { problem: subjectProblem },
        setAuthorityKeyId: { default: false },
        ...alternativeNameInputs,
    },
    computed: [...certificateComputed, "keyAlgorithm"],
    outlived: renewal,
    create: async (inputs, now) => {
        const signer = await signerOf(inputs.privateKeyPem as string, "privateKeyPem");
        const subject = nameOf(inputs.subject);
        const publicKey = new PublicKey(signer.spki);
        const hasKeyId = inputs.isCaCertificate || inputs.setSubjectKeyId;
        if (inputs.setAuthorityKeyId && !hasKeyId) {
            throw new Error("setAuthorityKeyId needs a certificate with a key identifier: set setSubjectKeyId");
        }
        const { id, outputs } = await createCertificate(
            inputs,
            {
                subject,
                issuer: subject,
                publicKey,
                signer,
                authorityKeyId: inputs.setAuthorityKeyId
                    ? (await SubjectKeyIdentifierExtension.create(publicKey)).keyId
                    : undefined,
                names: alternativeNames(inputs, subject.toJSON().length > 0),
            },
            now,
        );
        return { id, outputs: { ...outputs, keyAlgorithm: signer.algorithm } };
    },
};
