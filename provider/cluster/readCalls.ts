import type { AppsV1Api, CoreV1Api, StorageV1Api, VersionApi } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};

/** The client's calls. Each has a description for messages, and is retried where that may help. */
export interface ReadCalls {
    apps: AppsV1Api;
    core: CoreV1Api;
    storage: Pick<StorageV1Api, "readStorageClass">;
    version: Pick<VersionApi, "getCodeWithHttpInfo">;
    read: <T>(what: string, request: () => Promise<T>) => Promise<T>;
    readOrMissing: <T>(what: string, request: () => Promise<T>) => Promise<T | undefined>;
}
