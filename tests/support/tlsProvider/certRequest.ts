import { Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { createHash } from "node:crypto";
import { alternativeNameInputs, alternativeNames } from "./alternativeNames";
import { signerOf } from "./keys";
import { pem } from "./pem";
import type { ResourceKind } from "./resourceKind";
import { nameOf, subjectProblem } from "./subject";

/** A certificate request. Any change of its inputs creates a new one. */
export const certRequest: ResourceKind = {
    inputs: {
        privateKeyPem: { required: true },
        subject: { problem: subjectProblem },
        ...alternativeNameInputs,
    },
    computed: ["certRequestPem", "keyAlgorithm"],
    create: async (inputs) => {
        const { algorithm, keys, signingAlgorithm } = await signerOf(inputs.privateKeyPem as string, "privateKeyPem");
        const name = nameOf(inputs.subject);
        const request = await Pkcs10CertificateRequestGenerator.create({
            name,
            keys,
            signingAlgorithm,
            extensions: alternativeNames(inputs, name.toJSON().length > 0),
        });
        const id = createHash("sha1").update(Buffer.from(request.rawData)).digest("hex");
        return { id, outputs: { certRequestPem: pem(request), keyAlgorithm: algorithm } };
    },
};
