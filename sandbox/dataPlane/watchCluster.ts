import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { loseClaim, losePod, seeClaim, seeConfigMap, type SeenObjects, seePod, seeSecret } from "./seenObjects";
import { type ObjectWatch, watchObjects } from "./kubernetes/watchObjects";

const podSelector = "app.kubernetes.io/name=tidb-cluster";

/**
 * Watches the simulated objects, one kind at a time. Pods come last, so the objects they need are known by then.
 * Resolves once each kind has been listed, or has failed and is retried. Errors are logged.
 */
export async function watchCluster(
    client: typeof k8s,
    kubeconfig: k8s.KubeConfig,
    seen: SeenObjects,
    log: (line: string) => void,
): Promise<ObjectWatch[]> {
    const api = kubeconfig.makeApiClient(client.CoreV1Api);
    const onError = (kind: string) => (error: unknown) =>
        log(`the watch of ${kind} failed: ${String(error)}; listing again`);
    return [
        await watchObjects<k8s.V1Secret>(client, kubeconfig, {
            path: "/api/v1/secrets",
            list: () => api.listSecretForAllNamespaces(),
            onChange: (secret) => seeSecret(seen, secret),
            onDelete: seen.secrets.lose,
            onError: onError("secrets"),
        }),
        await watchObjects<k8s.V1ConfigMap>(client, kubeconfig, {
            path: "/api/v1/configmaps",
            list: () => api.listConfigMapForAllNamespaces(),
            onChange: (configMap) => seeConfigMap(seen, configMap),
            onDelete: () => undefined,
            onError: onError("configmaps"),
        }),
        await watchObjects<k8s.V1PersistentVolumeClaim>(client, kubeconfig, {
            path: "/api/v1/persistentvolumeclaims",
            list: () => api.listPersistentVolumeClaimForAllNamespaces(),
            onChange: (claim) => seeClaim(seen, claim),
            onDelete: (claim) => loseClaim(seen, claim),
            onError: onError("claims"),
        }),
        await watchObjects<k8s.V1Pod>(client, kubeconfig, {
            path: "/api/v1/pods",
            list: () => api.listPodForAllNamespaces({ labelSelector: podSelector }),
            labelSelector: podSelector,
            onChange: (pod) => seePod(seen, pod),
            onDelete: (pod) => losePod(seen, pod),
            onError: onError("pods"),
        }),
    ];
}
