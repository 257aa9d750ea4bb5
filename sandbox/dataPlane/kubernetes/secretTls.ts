import type { V1Secret } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { ListenerTls } from "../listener";

/** The Secrets of the cluster that pods mount. */
export interface KnownSecrets {
    /** Records a Secret. @returns whether it is new or its content has changed */
    update(secret: V1Secret): boolean;
    remove(secret: V1Secret): void;
    has(namespace: string, name: string): boolean;
    /**
     * Returns the certificate in a Secret, in cert-manager's layout. Undefined if the Secret is missing or incomplete.
     */
    tls(namespace: string, name: string): ListenerTls | undefined;
}

/** Creates a record without any Secrets. */
export function knownSecrets(): KnownSecrets {
    const secrets = new Map<string, Record<string, string>>();
    return {
        update: (secret) => {
            const data = secret.data ?? {};
            const isNew = JSON.stringify(secrets.get(keyOf(secret))) !== JSON.stringify(data);
            secrets.set(keyOf(secret), data);
            return isNew;
        },
        remove: (secret) => {
            secrets.delete(keyOf(secret));
        },
        has: (namespace, name) => secrets.has(`${namespace}/${name}`),
        tls: (namespace, name) => {
            const data = secrets.get(`${namespace}/${name}`) ?? {};
            const [ca, cert, key] = ["ca.crt", "tls.crt", "tls.key"].map((one) => decode(data[one]));
            return ca && cert && key ? { ca, cert, key } : undefined;
        },
    };
}

function keyOf({ metadata }: V1Secret): string {
    return `${metadata?.namespace}/${metadata?.name}`;
}

function decode(text: string | undefined): string | undefined {
    return text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
}
