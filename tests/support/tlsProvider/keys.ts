import { createPrivateKey, createPublicKey, type KeyObject, webcrypto } from "node:crypto";

/** The package's names for key algorithms. */
export type KeyAlgorithm = "RSA" | "ECDSA" | "ED25519";

/** A private key with the data needed to sign with it. */
export interface Signer {
    algorithm: KeyAlgorithm;
    keys: webcrypto.CryptoKeyPair;
    signingAlgorithm: { name: string; hash?: string };
    /** The public key, as DER. */
    spki: Buffer;
}

/** The hash for each curve, as in Go's X.509 library, which the real provider uses. */
const hashes: Readonly<Record<string, string>> = { "P-256": "SHA-256", "P-384": "SHA-384", "P-521": "SHA-512" };

/** @throws Error if the given property contains no private key, or one that is not supported */
export async function signerOf(pem: string, property: string): Promise<Signer> {
    const key = parse(pem, property);
    const { algorithm, parameters } = parametersOf(key, property);
    const publicKey = createPublicKey(key);
    const spki = publicKey.export({ type: "spki", format: "der" });
    const pkcs8 = key.export({ type: "pkcs8", format: "der" });
    return {
        algorithm,
        keys: {
            privateKey: await webcrypto.subtle.importKey("pkcs8", pkcs8, parameters, true, ["sign"]),
            publicKey: await webcrypto.subtle.importKey("spki", spki, parameters, true, ["verify"]),
        },
        signingAlgorithm: { name: parameters.name, hash: parameters.hash },
        spki,
    };
}

function parse(pem: string, property: string): KeyObject {
    try {
        return createPrivateKey(pem);
    } catch (error) {
        throw new Error(`${property} is not a private key in PEM: ${(error as Error).message}`);
    }
}

interface Parameters {
    name: string;
    hash?: string;
    namedCurve?: string;
}

function parametersOf(key: KeyObject, property: string): { algorithm: KeyAlgorithm; parameters: Parameters } {
    const { asymmetricKeyType: type } = key;
    if (type === "rsa") {
        return { algorithm: "RSA", parameters: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } };
    }
    if (type === "ed25519") {
        return { algorithm: "ED25519", parameters: { name: "Ed25519" } };
    }
    const { crv: namedCurve = "" } = type === "ec" ? createPublicKey(key).export({ format: "jwk" }) : {};
    if (hashes[namedCurve] === undefined) {
        throw new Error(
            `${property} is a key of type ${type} ${namedCurve}, but the stand-in for Pulumi's TLS provider supports only RSA, ` +
                `ED25519 and ECDSA with ${Object.keys(hashes).join(", ")}`,
        );
    }
    return { algorithm: "ECDSA", parameters: { name: "ECDSA", namedCurve, hash: hashes[namedCurve] } };
}
