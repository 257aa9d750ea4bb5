import type { AppsV1Api, CoreV1Api, StorageV1Api, V1StatefulSet, VersionApi } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};

/** The client's calls. Each has a description for messages, and is retried where that may help. */
export interface ReadCalls {
    apps: AppsV1Api;
    core: CoreV1Api;
    storage: Pick<StorageV1Api, "readStorageClass">;
    version: Pick<VersionApi, "getCodeWithHttpInfo">;
    /** The StatefulSet as the API server writes it. Times are texts. */
    readWholeStatefulSet: (namespace: string, name: string) => Promise<V1StatefulSet | undefined>;
    read: <T>(what: string, request: () => Promise<T>) => Promise<T>;
    readOrMissing: <T>(what: string, request: () => Promise<T>) => Promise<T | undefined>;
}
