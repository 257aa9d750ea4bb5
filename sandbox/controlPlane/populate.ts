import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { nodeObject, kwokDefinitions, storageClassObject } from "./clusterObjects";

/** Creates the nodes, the storage class and KWOK's resource definitions in a new cluster. */
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
    await Promise.all(objects.map((object) => client.create(object as k8s.KubernetesObject)));
}
