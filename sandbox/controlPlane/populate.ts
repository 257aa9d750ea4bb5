import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { nodeObject, kwokDefinitions, storageClassObject } from "./clusterObjects";

/** Creates the nodes, the storage class and KWOK's resource definitions, and tells nodes that exist the port of their kubelet. */
export async function populate(kubeconfig: string, nodes: number, kubeletPort: number): Promise<void> {
    const kubernetes = await import("@kubernetes/client-node");
    const config = new kubernetes.KubeConfig();
    config.loadFromString(kubeconfig);
    const client = kubernetes.KubernetesObjectApi.makeApiClient(config);
    const objects = [
        ...kwokDefinitions(),
        storageClassObject(),
        ...Array.from({ length: nodes }, (_, index) => nodeObject(index, kubeletPort, new Date())),
    ];
    const core = config.makeApiClient(kubernetes.CoreV1Api);
    const merge = kubernetes.setHeaderOptions("Content-Type", kubernetes.PatchStrategy.MergePatch);
    const create = async (object: k8s.KubernetesObject): Promise<void> => {
        try {
            await client.create(object);
        } catch (error) {
            if (!(error instanceof kubernetes.ApiException) || error.code !== 409) {
                throw error;
            }
            if (object.kind === "Node") {
                const body = { status: { daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } } };
                await core.patchNodeStatus({ name: object.metadata?.name ?? "", body }, merge);
            }
        }
    };
    await Promise.all(objects.map((object) => create(object as k8s.KubernetesObject)));
}
