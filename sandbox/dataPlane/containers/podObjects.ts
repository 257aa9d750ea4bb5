import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as path from "node:path";

type Files = Readonly<Record<string, Buffer>>;

/** What pods read from the API server. Undefined if there is no such object. */
export interface PodObjects {
    secret(namespace: string, name: string): Promise<Files | undefined>;
    configMap(namespace: string, name: string): Promise<Files | undefined>;
    /** The folder with the files of a claim, which all pods with this claim share. It need not exist yet. */
    claimFolder(namespace: string, name: string): Promise<string | undefined>;
    /** A token with which a pod calls the API server as its service account. */
    token(namespace: string, serviceAccount: string): Promise<Buffer>;
}

/** How long a token is valid. A kubelet renews it; a sandbox runs for hours. */
const tokenSeconds = 7 * 24 * 3600;

/** The name of the folder with the files of a volume. */
export function volumeFolder({ metadata }: k8s.V1PersistentVolume): string {
    return metadata?.uid ?? "";
}

/** @param folder contains the folders of the volumes. */
export function podObjects(client: typeof k8s, core: k8s.CoreV1Api, folder: string): PodObjects {
    const orMissing = async <T>(read: Promise<T>): Promise<T | undefined> => {
        try {
            return await read;
        } catch (error) {
            if (error instanceof client.ApiException && error.code === 404) {
                return undefined;
            }
            throw error;
        }
    };
    const files = (data: Record<string, string> = {}, encoding: BufferEncoding): Record<string, Buffer> =>
        Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding)]));
    return {
        secret: async (namespace, name) => {
            const secret = await orMissing(core.readNamespacedSecret({ namespace, name }));
            return secret && files(secret.data, "base64");
        },
        configMap: async (namespace, name) => {
            const map = await orMissing(core.readNamespacedConfigMap({ namespace, name }));
            return map && { ...files(map.data, "utf8"), ...files(map.binaryData, "base64") };
        },
        claimFolder: async (namespace, name) => {
            const claim = await orMissing(core.readNamespacedPersistentVolumeClaim({ namespace, name }));
            const volumeName = claim?.status?.phase === "Bound" ? claim.spec?.volumeName : undefined;
            // A claim that is made again has another volume, or is bound to one that was retained.
            const volume = volumeName && (await orMissing(core.readPersistentVolume({ name: volumeName })));
            return volume ? path.join(folder, volumeFolder(volume)) : undefined;
        },
        token: async (namespace, name) => {
            const body = { spec: { audiences: [], expirationSeconds: tokenSeconds } };
            const { status } = await core.createNamespacedServiceAccountToken({ namespace, name, body });
            return Buffer.from(status?.token ?? "");
        },
    };
}
