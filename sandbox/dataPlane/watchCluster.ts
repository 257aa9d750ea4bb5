import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import {
    removeClaim,
    removePod,
    updateClaim,
    updateConfigMap,
    updateNode,
    type KnownObjects,
    updatePod,
    updateSecret,
} from "./knownObjects";
import { type ObjectWatch, watchObjects } from "../watchObjects";

const podSelector = "app.kubernetes.io/name=tidb-cluster";

/**
 * Watches the simulated objects, one kind at a time. Pods come last, so the objects they need are known by then.
 * Resolves once each kind has been listed, or has failed and is retried. Errors are logged.
 */
export async function watchCluster(
    client: typeof k8s,
    kubeconfig: k8s.KubeConfig,
    objects: KnownObjects,
    log: (line: string) => void,
): Promise<ObjectWatch[]> {
    const api = kubeconfig.makeApiClient(client.CoreV1Api);
    const onError = (kind: string) => (error: unknown) =>
        log(`the watch of ${kind} failed: ${String(error)}; listing again`);
    return [
        await watchObjects<k8s.V1Secret>(client, kubeconfig, {
            path: "/api/v1/secrets",
            list: () => api.listSecretForAllNamespaces(),
            onChange: (secret) => updateSecret(objects, secret),
            onDelete: objects.secrets.remove,
            onError: onError("secrets"),
        }),
        await watchObjects<k8s.V1ConfigMap>(client, kubeconfig, {
            path: "/api/v1/configmaps",
            list: () => api.listConfigMapForAllNamespaces(),
            onChange: (configMap) => updateConfigMap(objects, configMap),
            onDelete: () => undefined,
            onError: onError("configmaps"),
        }),
        await watchObjects<k8s.V1Node>(client, kubeconfig, {
            path: "/api/v1/nodes",
            list: () => api.listNode(),
            onChange: (node) => updateNode(objects, node),
            onDelete: () => undefined,
            onError: onError("nodes"),
        }),
        await watchObjects<k8s.V1PersistentVolumeClaim>(client, kubeconfig, {
            path: "/api/v1/persistentvolumeclaims",
            list: () => api.listPersistentVolumeClaimForAllNamespaces(),
            onChange: (claim) => updateClaim(objects, claim),
            onDelete: (claim) => removeClaim(objects, claim),
            onError: onError("claims"),
        }),
        await watchObjects<k8s.V1Pod>(client, kubeconfig, {
            path: "/api/v1/pods",
            list: () => api.listPodForAllNamespaces({ labelSelector: podSelector }),
            labelSelector: podSelector,
            onChange: (pod) => updatePod(objects, pod),
            onDelete: (pod) => removePod(objects, pod),
            onError: onError("pods"),
        }),
    ];
}
