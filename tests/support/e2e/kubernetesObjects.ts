/** How a test edits objects as somebody with `kubectl` does. */
export interface KubernetesObjects {
    /** Sets an annotation of a pod template by the field manager of `kubectl patch`. */
    annotateTemplate(statefulSet: string, key: string, value: string): Promise<void>;
    templateAnnotations(statefulSet: string): Promise<Record<string, string>>;
    /** Sets the number of replicas. @param by the field manager, and whether it writes the subresource. Default: as `kubectl scale` does. */
    scale(statefulSet: string, replicas: number, by?: { manager: string; how: "scale" | "whole" }): Promise<void>;
    replicas(statefulSet: string): Promise<number>;
}

/** @returns the objects of one namespace of the cluster of a kubeconfig */
export async function kubernetesObjects(kubeconfig: string, namespace: string): Promise<KubernetesObjects> {
    const client = await import("@kubernetes/client-node");
    const config = new client.KubeConfig();
    config.loadFromFile(kubeconfig);
    const apps = config.makeApiClient(client.AppsV1Api);
    const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
    return {
        annotateTemplate: async (name, key, value) => {
            const body = { spec: { template: { metadata: { annotations: { [key]: value } } } } };
            await apps.patchNamespacedStatefulSet({ namespace, name, body, fieldManager: "kubectl-patch" }, merge);
        },
        templateAnnotations: async (name) =>
            (await apps.readNamespacedStatefulSet({ namespace, name })).spec?.template.metadata?.annotations ?? {},
        scale: async (name, replicas, { manager: fieldManager, how } = { manager: "kubectl", how: "scale" }) => {
            const request = { namespace, name, body: { spec: { replicas } }, fieldManager };
            await (how === "scale"
                ? apps.patchNamespacedStatefulSetScale(request, merge)
                : apps.patchNamespacedStatefulSet(request, merge));
        },
        replicas: async (name) => (await apps.readNamespacedStatefulSet({ namespace, name })).spec?.replicas ?? 0,
    };
}
