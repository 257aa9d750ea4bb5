import * as assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import recorded from "../../fixtures/sshKeys.json";
import { openSshKeys } from "../../support/tlsProvider/openSsh";

/** Where the two random numbers of a private key's file begin, by its format: after the public key. */
const magicLength = "openssh-key-v1\0".length;

describe("an OpenSSH key from the stand-in for Pulumi's TLS provider equals ssh-keygen's", () => {
    for (const { name, pkcs8, privateKeyOpenssh, ...open } of recorded) {
        it(name, () => {
            const { privateKeyOpenssh: written, ...others } = openSshKeys(createPrivateKey(pkcs8));
            assert.deepEqual(others, open);
            assert.deepEqual(content(written), content(privateKeyOpenssh));
        });
    }
});

/** The file's bytes without the two numbers that only say that it was decrypted, which must be the same. */
function content(pem: string): Buffer {
    const lines = pem.trim().split("\n");
    assert.deepEqual(
        [lines[0], lines.at(-1)],
        ["-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"],
    );
    const bytes = Buffer.from(lines.slice(1, -1).join(""), "base64");
    let at = magicLength;
    const skipField = () => (at += 4 + bytes.readUInt32BE(at));
    for (let field = 0; field < 3; field++) {
        skipField(); // Cipher, derivation of its key, options.
    }
    at += 4; // How many keys.
    skipField(); // The public key.
    at += 4; // The length of the rest.
    assert.deepEqual(bytes.subarray(at, at + 4), bytes.subarray(at + 4, at + 8));
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 8)]);
}
