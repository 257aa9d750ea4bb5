import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** Makes the logs of a pod's containers readable through the API server: the file of each, by name. */
export type ServeLogs = (pod: k8s.V1Pod, files: Readonly<Record<string, string>>) => Promise<void>;

/** Creates the writer of KWOK's `Logs` objects, which are named after the pods and go with them. */
export function containerLogs(client: typeof k8s, kubeconfig: k8s.KubeConfig): ServeLogs {
    const api = client.KubernetesObjectApi.makeApiClient(kubeconfig);
    return async ({ metadata }, files) => {
        const { name = "", namespace = "", uid = "" } = metadata ?? {};
        const logs = Object.entries(files).map(([container, logsFile]) => ({
            containers: [container],
            logsFile,
            previousLogsFile: previousLogFile(logsFile),
        }));
        const object = {
            apiVersion: "kwok.x-k8s.io/v1alpha1",
            kind: "Logs",
            metadata: { name, namespace, ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }] },
            spec: { logs },
        };
        // The object of a pod that had this name may still be there.
        const manager = "pulumi-tidb-sandbox";
        await api.patch(object, undefined, undefined, manager, true, client.PatchStrategy.ServerSideApply);
    };
}

/** Returns the file with the log of the container's process before this one. */
export function previousLogFile(file: string): string {
    return file.replace(/\.log$/, ".previous.log");
}
