import type { Configuration, KubeConfig, KubernetesListObject, V1PersistentVolumeClaim, V1Pod } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import type * as kubernetesClient from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { timeLimit } from "./apiCall";

/** A claim, as far as decisions need it: its specification and its status are not read. */
export type ClaimMetadata = Pick<V1PersistentVolumeClaim, "metadata">;

/**
 * The long lists of a namespace. The objects are as the API server writes them: times are texts. The client's own lists
 * convert each object by its type, which takes longer than everything else for 1,000 pods.
 */
export interface ListCalls {
    pods(labelSelector: string): Promise<KubernetesListObject<V1Pod>>;
    claims(): Promise<KubernetesListObject<ClaimMetadata>>;
}

/** Asks for the metadata alone, about half of a claim. A server that cannot leave the rest out sends all of it. */
const metadataAlone = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.9";

/** @returns the lists, made with the client's own connection, credentials and errors. */
export function listCalls(
    client: typeof kubernetesClient,
    { baseServer, httpApi }: Configuration,
    config: KubeConfig,
    namespace: string,
): ListCalls {
    const list = async <T>(resource: string, accept: string, labelSelector?: string): Promise<KubernetesListObject<T & object>> => {
        const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${resource}`;
        const request = baseServer.makeRequestContext(path, client.HttpMethod.GET);
        request.setHeaderParam("Accept", accept);
        if (labelSelector !== undefined) {
            request.setQueryParam("labelSelector", labelSelector);
        }
        await config.applySecurityAuthentication(request);
        const answer = await httpApi.send(await timeLimit.pre(request)).toPromise();
        const text = await answer.body.text();
        if (answer.httpStatusCode !== 200) {
            throw new client.ApiException(answer.httpStatusCode, "the list was refused", text, answer.headers);
        }
        return JSON.parse(text) as KubernetesListObject<T & object>;
    };
    return {
        pods: (labelSelector) => list<V1Pod>("pods", "application/json", labelSelector),
        claims: () => list<ClaimMetadata>("persistentvolumeclaims", metadataAlone),
    };
}
