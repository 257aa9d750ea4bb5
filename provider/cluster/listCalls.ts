import type {
    KubernetesListObject,
    KubernetesObject,
    V1Container,
    V1PersistentVolumeClaim,
    V1Pod,
    V1Volume,
} from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { readList, type WrittenList } from "./listedObjects";
import type { RawCall } from "./rawCall";
import { forgetOtherManagers } from "./otherManagers";

/** A claim, as far as decisions need it: most need only its metadata. */
export type ListedClaim = Pick<V1PersistentVolumeClaim, "metadata" | "spec" | "status">;

/** A pod, as far as it only matters whether it has changed. */
export type PodMetadata = Pick<V1Pod, "metadata">;

/**
 * The long lists of a namespace. The objects are as the API server writes them: times are texts. The client's own lists
 * convert each object by its type, which is the largest part of reading 1,000 pods.
 */
export interface ListCalls {
    pods(labelSelector: string): Promise<KubernetesListObject<V1Pod>>;
    podMetadata(labelSelector: string): Promise<KubernetesListObject<PodMetadata>>;
    /** @param isWhole whether to read more than the metadata. Default: false. */
    claims(isWhole?: boolean): Promise<KubernetesListObject<ListedClaim>>;
}

/** Objects in one answer, as Kubernetes' own client asks for them: an answer with all of them takes much memory. */
const pageSize = 500;

/** Asks for the metadata alone, about half of an object. A server that cannot leave the rest out sends all of it. */
const metadataAlone = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.9";

/** @returns the lists of a namespace. */
export function listCalls(call: RawCall, namespace: string): ListCalls {
    const page = async <T extends KubernetesObject>(
        resource: string,
        accept: string,
        query: object,
        forgetFrom: (item: T) => void,
    ): Promise<WrittenList<T>> => {
        const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${resource}`;
        return readList<T>(await call("GET", path, { accept, query }), forgetFrom);
    };
    const list = async <T extends KubernetesObject>(
        resource: string,
        accept: string,
        query: object,
        forgetFrom: (item: T) => void = forgetOtherManagers,
    ) => {
        const pages = (next: object) => page(resource, accept, { ...query, limit: pageSize, ...next }, forgetFrom);
        let { metadata, items } = await pages({});
        while (metadata?.continue) {
            const more = await pages({ continue: metadata.continue });
            items = items.concat(more.items);
            metadata = more.metadata;
        }
        return { metadata, items };
    };
    return {
        pods: (labelSelector) => list<V1Pod>("pods", "application/json", { labelSelector }, forgetUnread),
        podMetadata: (labelSelector) => list<PodMetadata>("pods", metadataAlone, { labelSelector }),
        claims: (isWhole = false) =>
            list<ListedClaim>("persistentvolumeclaims", isWhole ? "application/json" : metadataAlone, {}),
    };
}

/** The largest parts of a pod: they say how its containers run, and no decision depends on it. */
const unreadOfContainers: readonly (keyof V1Container)[] = [
    ...(["args", "command", "env", "envFrom", "lifecycle", "volumeMounts"] as const),
    ...(["livenessProbe", "readinessProbe", "startupProbe"] as const),
];
const unreadOfVolumes: readonly (keyof V1Volume)[] = ["configMap", "downwardAPI", "projected"];

function forgetUnread(pod: V1Pod): void {
    forgetOtherManagers(pod);
    const { containers = [], initContainers = [], volumes = [] } = pod.spec ?? {};
    [...containers, ...initContainers].forEach((container) => forget(container, unreadOfContainers));
    volumes.forEach((volume) => forget(volume, unreadOfVolumes));
}

function forget<T>(from: T, fields: readonly (keyof T)[]): void {
    for (const field of fields) {
        if (from[field] !== undefined) {
            // Not deleted: that makes an object larger.
            from[field] = undefined as T[keyof T];
        }
    }
}
