import type { CoreV1Api } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { KubernetesApiError } from "./apiCall";
import type { ReadCalls } from "./readCalls";

type Texts = Record<string, string>;

/** The parts of a Secret that gates use. */
export interface SecretObject {
    data: Texts;
    annotations: Texts;
}

/** The calls that gates make about Secrets. */
export interface SecretCalls {
    readSecret(namespace: string, name: string): Promise<Record<string, string> | undefined>;
    /** A Secret's data as text, and its annotations. */
    readSecretObject(namespace: string, name: string): Promise<SecretObject | undefined>;
    /** Creates a Secret; an existing Secret of that name stays as it is. */
    createSecret(namespace: string, name: string, labels: Texts, data: Texts): Promise<void>;
    annotateSecret(namespace: string, name: string, annotations: Texts): Promise<void>;
}

type MergePatch = Parameters<CoreV1Api["patchNamespacedSecret"]>[1];

/** @param call makes a change, and names it in the error if it fails. */
export function secretCalls(
    { core, readOrMissing }: ReadCalls,
    call: <T>(what: string, request: () => Promise<T>) => Promise<T>,
    fieldManager: string,
    mergePatch: MergePatch,
): SecretCalls {
    const readSecretObject = async (namespace: string, name: string): Promise<SecretObject | undefined> => {
        const secret = await readOrMissing(`read Secret ${name}`, () => core.readNamespacedSecret({ namespace, name }));
        const inClear = ([key, value]: [string, string]) => [key, Buffer.from(value, "base64").toString("utf8")];
        return (
            secret && {
                data: Object.fromEntries(Object.entries(secret.data ?? {}).map(inClear)) as Texts,
                annotations: secret.metadata?.annotations ?? {},
            }
        );
    };
    return {
        readSecret: async (namespace, name) => (await readSecretObject(namespace, name))?.data,
        readSecretObject,
        createSecret: async (namespace, name, labels, stringData) => {
            const body = { metadata: { name, labels }, type: "Opaque", stringData };
            try {
                await call(`create Secret ${name}`, () =>
                    core.createNamespacedSecret({ namespace, body, fieldManager }),
                );
            } catch (error) {
                if (!(error instanceof KubernetesApiError && error.status === 409)) {
                    throw error;
                }
            }
        },
        annotateSecret: async (namespace, name, annotations) => {
            const body = { metadata: { annotations } };
            await call(`annotate Secret ${name}`, () =>
                core.patchNamespacedSecret({ namespace, name, body, fieldManager }, mergePatch),
            );
        },
    };
}
