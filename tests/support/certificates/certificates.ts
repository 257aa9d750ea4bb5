import { isIP } from "node:net";
import { generate } from "selfsigned";

/** A certificate and its private key, as PEM text. */
export interface Issued {
    readonly cert: string;
    readonly key: string;
}

/** What a certificate is for, apart from its names. */
export interface IssueOptions {
    /** Default: now. */
    readonly notBefore?: Date;
    /** Default: a year later. */
    readonly notAfter?: Date;
    /** Default: server and client, as in tidb-operator's documentation. */
    readonly usages?: readonly ("server auth" | "client auth")[];
}

const keys = { keyType: "ec", curve: "P-256", algorithm: "sha256" } as const;

/** Creates an authority that can sign certificates. */
export async function createAuthority(name: string, notAfter?: Date): Promise<Issued> {
    const made = await generate([{ name: "commonName", value: name }], {
        ...keys,
        notAfterDate: notAfter,
        notBeforeDate: notAfter && new Date(notAfter.getTime() - 3_600_000),
        extensions: [
            { name: "basicConstraints", cA: true, critical: true },
            { name: "keyUsage", keyCertSign: true, digitalSignature: true },
        ],
    });
    return { cert: made.cert, key: made.private };
}

/** Issues a certificate of an authority for DNS names and addresses. The first name is the common name. */
export async function issue(authority: Issued, names: readonly string[], options: IssueOptions = {}): Promise<Issued> {
    const { usages = ["server auth", "client auth"] } = options;
    const made = await generate([{ name: "commonName", value: names[0] }], {
        ...keys,
        ca: { key: authority.key, cert: authority.cert },
        notBeforeDate: options.notBefore,
        notAfterDate: options.notAfter,
        extensions: [
            { name: "basicConstraints", cA: false },
            { name: "keyUsage", digitalSignature: true, keyEncipherment: true },
            {
                name: "extKeyUsage",
                serverAuth: usages.includes("server auth"),
                clientAuth: usages.includes("client auth"),
            },
            {
                name: "subjectAltName",
                altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
            },
        ],
    });
    return { cert: made.cert, key: made.private };
}

/** @returns the data of a Secret with a certificate, as cert-manager writes it */
export function secretData(authority: Pick<Issued, "cert">, issued: Issued): Record<string, string> {
    return { "ca.crt": authority.cert, "tls.crt": issued.cert, "tls.key": issued.key };
}
