import {
    AuthorityKeyIdentifierExtension,
    BasicConstraintsExtension,
    type Extension,
    type Name,
    type PublicKey,
    SubjectKeyIdentifierExtension,
    X509CertificateGenerator,
} from "@peculiar/x509";
import { randomBytes } from "node:crypto";
import type { PropertyMap, PropertyValue } from "../../../sandbox/engine/values";
import type { Signer } from "./keys";
import { pem } from "./pem";
import { type InputRule, notNegative } from "./resourceKind";
import { allowedUses, usageExtensions } from "./usages";
import { isReadyForRenewal } from "./validity";

/** The inputs of every certificate. `maxPathLength` is not supported. */
export const certificateInputs: Record<string, InputRule> = {
    allowedUses: { required: true, problem: unknownUses },
    validityPeriodHours: { required: true, problem: notNegative },
    earlyRenewalHours: { default: 0, inPlace: true, problem: notNegative },
    isCaCertificate: { default: false },
    setSubjectKeyId: { default: false },
};

/** The outputs of every certificate in addition to its inputs. */
export const certificateComputed = ["certPem", "readyForRenewal", "validityEndTime", "validityStartTime"];

export interface CertificateParts {
    subject: Name;
    issuer: Name;
    publicKey: PublicKey;
    /** The issuer's. */
    signer: Signer;
    /** The issuer's key identifier, if the certificate should name it. */
    authorityKeyId?: string;
    names: Extension[];
}

/** Issues a certificate that is valid from now. Its id is its serial number. */
export async function createCertificate(
    inputs: PropertyMap,
    parts: CertificateParts,
    now: Date,
): Promise<{ id: string; outputs: PropertyMap }> {
    const isAuthority = inputs.isCaCertificate === true;
    if (isAuthority && parts.subject.toJSON().length === 0) {
        throw new Error("subject is empty: a certificate of an authority (isCaCertificate) needs a name");
    }
    const serialNumber = randomBytes(16);
    // Clears the sign bit, because a serial number must be positive.
    serialNumber[0] &= 0x7f;
    const end = new Date(now.getTime() + (inputs.validityPeriodHours as number) * 3_600_000);
    const { authorityKeyId, names, signer } = parts;
    const certificate = await X509CertificateGenerator.create({
        serialNumber: serialNumber.toString("hex"),
        subject: parts.subject,
        issuer: parts.issuer,
        notBefore: now,
        notAfter: end,
        publicKey: parts.publicKey,
        signingKey: signer.keys.privateKey,
        signingAlgorithm: signer.signingAlgorithm,
        extensions: [
            ...usageExtensions(inputs.allowedUses as string[]),
            new BasicConstraintsExtension(isAuthority, undefined, true),
            ...(isAuthority || inputs.setSubjectKeyId
                ? [await SubjectKeyIdentifierExtension.create(parts.publicKey)]
                : []),
            ...(authorityKeyId === undefined ? [] : [new AuthorityKeyIdentifierExtension(authorityKeyId)]),
            ...names,
        ],
    });
    const outputs = {
        certPem: pem(certificate),
        validityStartTime: now.toISOString(),
        validityEndTime: end.toISOString(),
    };
    const readyForRenewal = isReadyForRenewal({ ...inputs, ...outputs }, now);
    return { id: BigInt(`0x${serialNumber.toString("hex")}`).toString(), outputs: { ...outputs, readyForRenewal } };
}

function unknownUses(value: PropertyValue): string | undefined {
    const other = (value as string[]).filter((use) => !allowedUses.includes(use));
    return other.length === 0 ? undefined : `${other.join(", ")}: each must be one of ${allowedUses.join(", ")}`;
}
