import { createHash, createPublicKey, type JsonWebKey, type KeyObject, randomBytes } from "node:crypto";

/** A key in OpenSSH's formats (RFC 4253, RFC 5656, RFC 8709; for the private key PROTOCOL.key of OpenSSH). */
export function openSshKeys(key: KeyObject): Record<string, string> {
    const jwk = key.export({ format: "jwk" });
    const { type, publicParts, privateParts } = partsOf(jwk, key);
    const blob = fields(type, ...publicParts);
    return {
        publicKeyOpenssh: `${type} ${blob.toString("base64")}\n`,
        publicKeyFingerprintMd5: createHash("md5")
            .update(blob)
            .digest("hex")
            .replace(/..(?!$)/g, "$&:"),
        publicKeyFingerprintSha256: `SHA256:${createHash("sha256").update(blob).digest("base64").replace(/=+$/, "")}`,
        privateKeyOpenssh: privatePem(blob, fields(type, ...privateParts)),
    };
}

function partsOf(jwk: JsonWebKey, key: KeyObject): { type: string; publicParts: Field[]; privateParts: Field[] } {
    const bytes = (name: keyof JsonWebKey) => Buffer.from(jwk[name] as string, "base64url");
    if (jwk.kty === "RSA") {
        const [n, e, d, qi, p, q] = (["n", "e", "d", "qi", "p", "q"] as const).map((name) => integer(bytes(name)));
        return { type: "ssh-rsa", publicParts: [e, n], privateParts: [n, e, d, qi, p, q] };
    }
    if (jwk.kty === "OKP") {
        return {
            type: "ssh-ed25519",
            publicParts: [bytes("x")],
            privateParts: [bytes("x"), Buffer.concat([bytes("d"), bytes("x")])],
        };
    }
    const curve = `nistp${(jwk.crv ?? "").replace("P-", "")}`;
    const spki = createPublicKey(key).export({ type: "spki", format: "der" });
    const point = spki.subarray(spki.length - 1 - 2 * bytes("x").length);
    return {
        type: `ecdsa-sha2-${curve}`,
        publicParts: [curve, point],
        privateParts: [curve, point, integer(bytes("d"))],
    };
}

type Field = string | Buffer;

/** Each field, preceded by its length. */
function fields(...all: Field[]): Buffer {
    return Buffer.concat(
        all.flatMap((field) => {
            const content = Buffer.from(field as string);
            return [uint32(content.length), content];
        }),
    );
}

function uint32(value: number): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
}

/** A positive integer in as few bytes as possible, with the sign bit clear. */
function integer(bytes: Buffer): Buffer {
    const first = bytes.findIndex((byte) => byte !== 0);
    const short = bytes.subarray(first);
    return short[0] >= 0x80 ? Buffer.concat([Buffer.alloc(1), short]) : short;
}

function privatePem(publicBlob: Buffer, parts: Buffer): string {
    const check = randomBytes(4);
    const comment = fields("");
    const content = Buffer.concat([check, check, parts, comment]);
    const padding = Buffer.from(Array.from({ length: (8 - (content.length % 8)) % 8 }, (_, index) => index + 1));
    const whole = Buffer.concat([
        Buffer.from("openssh-key-v1\0"),
        fields("none", "none", ""),
        uint32(1),
        fields(publicBlob, Buffer.concat([content, padding])),
    ]);
    const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
    return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join("\n");
}
