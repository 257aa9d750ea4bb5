import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import { isObject, isSecret, makeSecret, mapValues, type PropertyValue, secretSignature, signatureKey } from "./values";

/** Encrypts the secrets of a state file with a passphrase, as `PULUMI_CONFIG_PASSPHRASE` does for the real CLI. */
export interface StateSecrets {
    /** Kept in the state file. The key is derived from it and the passphrase. */
    salt: string;
    /** Returns the value with every secret in it encrypted. */
    seal(value: PropertyValue): PropertyValue;
    /**
     * Returns the value with every secret in it decrypted and still marked as secret.
     * @throws if the state was written with another passphrase
     */
    open(value: PropertyValue): PropertyValue;
}

/** The secrets of a state with this passphrase. `salt` is the one in the file; a new state gets a random one. */
export function stateSecrets(passphrase: string, salt: string = randomBytes(16).toString("base64")): StateSecrets {
    let derived: Buffer | undefined;
    const key = (): Buffer => (derived ??= scryptSync(passphrase, Buffer.from(salt, "base64"), 32));
    const sealed = new WeakMap<object, PropertyValue>();

    const seal = (value: PropertyValue): PropertyValue => {
        if (isSecret(value)) {
            // The same secret keeps its ciphertext. Otherwise every write of an unchanged state would differ.
            const known = sealed.get(value);
            if (known !== undefined) {
                return known;
            }
            const result = {
                [signatureKey]: secretSignature,
                ciphertext: encrypt(key(), JSON.stringify(value.value)),
            };
            sealed.set(value, result);
            return result;
        }
        return mapNested(value, seal);
    };
    const open = (value: PropertyValue): PropertyValue => {
        if (isSecret(value)) {
            const text = (value as { ciphertext?: PropertyValue }).ciphertext;
            return typeof text === "string" ? makeSecret(JSON.parse(decrypt(key(), text)) as PropertyValue) : value;
        }
        return mapNested(value, open);
    };
    return { salt, seal, open };
}

function mapNested(value: PropertyValue, map: (value: PropertyValue) => PropertyValue): PropertyValue {
    if (Array.isArray(value)) {
        return value.map(map);
    }
    return isObject(value) ? mapValues(value, map) : value;
}

function encrypt(key: Buffer, text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return [nonce, cipher.getAuthTag(), body].map((part) => part.toString("base64")).join(":");
}

function decrypt(key: Buffer, text: string): string {
    const [nonce, tag, body] = text.split(":").map((part) => Buffer.from(part, "base64"));
    if (nonce === undefined || tag === undefined || body === undefined) {
        throw new Error("The state holds a secret that is not in the form nonce:tag:text; was the file edited?");
    }
    const decipher = createDecipheriv("aes-256-gcm", key, nonce);
    decipher.setAuthTag(tag);
    try {
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
    } catch {
        throw new Error(
            "Cannot decrypt the state's secrets: the state was written with another PULUMI_CONFIG_PASSPHRASE.",
        );
    }
}
