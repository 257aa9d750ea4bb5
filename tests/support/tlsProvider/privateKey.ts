import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { PropertyMap } from "../../../sandbox/engine/values";
import { openSshKeys } from "./openSsh";
import { oneOf, type ResourceKind } from "./resourceKind";

/** Node.js names for the package's curves. P224, the package's default, is not supported. */
const curves: Readonly<Record<string, string>> = { P256: "P-256", P384: "P-384", P521: "P-521" };

/** A private key. Any change of its inputs creates a new one. */
export const privateKey: ResourceKind = {
    inputs: {
        algorithm: { required: true, problem: oneOf(["RSA", "ECDSA", "ED25519"]) },
        ecdsaCurve: { default: "P224", problem: oneOf(["P224", ...Object.keys(curves)]) },
        rsaBits: { default: 2048 },
    },
    computed: [
        "privateKeyOpenssh",
        "privateKeyPem",
        "privateKeyPemPkcs8",
        "publicKeyFingerprintMd5",
        "publicKeyFingerprintSha256",
        "publicKeyOpenssh",
        "publicKeyPem",
    ],
    create: async (inputs) => {
        const { own, secret, open } = generate(inputs);
        const spki = open.export({ type: "spki", format: "der" });
        const outputs = {
            privateKeyPem: secret.export({ type: own, format: "pem" }) as string,
            privateKeyPemPkcs8: secret.export({ type: "pkcs8", format: "pem" }) as string,
            publicKeyPem: open.export({ type: "spki", format: "pem" }) as string,
            ...openSshKeys(secret),
        };
        return { id: createHash("sha1").update(spki).digest("hex"), outputs };
    },
};

/** Generates a key pair, and the private key in the format specific to its algorithm. */
function generate({ algorithm, ecdsaCurve, rsaBits }: PropertyMap): {
    own: "pkcs1" | "sec1" | "pkcs8";
    secret: KeyObject;
    open: KeyObject;
} {
    if (algorithm === "RSA") {
        const { privateKey: secret, publicKey: open } = generateKeyPairSync("rsa", {
            modulusLength: rsaBits as number,
        });
        return { own: "pkcs1", secret, open };
    }
    if (algorithm === "ED25519") {
        const { privateKey: secret, publicKey: open } = generateKeyPairSync("ed25519");
        return { own: "pkcs8", secret, open };
    }
    const namedCurve = curves[ecdsaCurve as string];
    if (namedCurve === undefined) {
        throw new Error(
            `ecdsaCurve ${String(ecdsaCurve)} is not supported by the stand-in for Pulumi's TLS provider; expected one of ` +
                Object.keys(curves).join(", "),
        );
    }
    const { privateKey: secret, publicKey: open } = generateKeyPairSync("ec", { namedCurve });
    return { own: "sec1", secret, open };
}
