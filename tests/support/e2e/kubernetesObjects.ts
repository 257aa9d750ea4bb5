/** How a test edits objects as somebody with `kubectl` does. */
export interface KubernetesObjects {
    deleteService(name: string): Promise<void>;
    hasService(name: string): Promise<boolean>;
    /** Sets a label by the field manager of `kubectl label`. */
    label(kind: "statefulset" | "configmap", name: string, key: string, value: string): Promise<void>;
    labels(kind: "statefulset" | "configmap", name: string): Promise<Record<string, string>>;
    /** Sets an annotation of a pod template by the field manager of `kubectl patch`. */
    annotateTemplate(statefulSet: string, key: string, value: string): Promise<void>;
    templateAnnotations(statefulSet: string): Promise<Record<string, string>>;
    /** Sets the number of replicas. @param by the field manager, and whether it writes the subresource. Default: as `kubectl scale` does. */
    scale(statefulSet: string, replicas: number, by?: { manager: string; how: "scale" | "whole" }): Promise<void>;
    replicas(statefulSet: string): Promise<number>;
    /** The Events of a reason, each as `StatefulSet demo-tikv: what it says`. */
    events(reason: string): Promise<string[]>;
    /** The Events that `kubectl describe` shows of a StatefulSet: those with its uid. */
    describedEvents(statefulSet: string): Promise<string[]>;
}

/** @returns the objects of one namespace of the cluster of a kubeconfig */
export async function kubernetesObjects(kubeconfig: string, namespace: string): Promise<KubernetesObjects> {
    const client = await import("@kubernetes/client-node");
    const config = new client.KubeConfig();
    config.loadFromFile(kubeconfig);
    const core = config.makeApiClient(client.CoreV1Api);
    const apps = config.makeApiClient(client.AppsV1Api);
    const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
    const fieldManager = "kubectl-label";
    const read = (kind: "statefulset" | "configmap", name: string) =>
        kind === "statefulset"
            ? apps.readNamespacedStatefulSet({ namespace, name })
            : core.readNamespacedConfigMap({ namespace, name });
    return {
        deleteService: async (name) => {
            await core.deleteNamespacedService({ namespace, name });
        },
        hasService: async (name) =>
            (await core.listNamespacedService({ namespace })).items.some(({ metadata }) => metadata?.name === name),
        label: async (kind, name, key, value) => {
            const body = { metadata: { labels: { [key]: value } } };
            await (kind === "statefulset"
                ? apps.patchNamespacedStatefulSet({ namespace, name, body, fieldManager }, merge)
                : core.patchNamespacedConfigMap({ namespace, name, body, fieldManager }, merge));
        },
        labels: async (kind, name) => (await read(kind, name)).metadata?.labels ?? {},
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
        events: async (reason) => {
            const { items } = await core.listNamespacedEvent({ namespace, fieldSelector: `reason=${reason}` });
            return items.map(({ involvedObject: { kind, name }, message }) => `${kind} ${name}: ${message}`);
        },
        describedEvents: async (name) => {
            const { metadata } = await read("statefulset", name);
            const fieldSelector = `involvedObject.uid=${metadata?.uid}`;
            const { items } = await core.listNamespacedEvent({ namespace, fieldSelector });
            return items.map(({ message }) => message ?? "");
        },
        replicas: async (name) => (await apps.readNamespacedStatefulSet({ namespace, name })).spec?.replicas ?? 0,
    };
}
