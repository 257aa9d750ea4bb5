import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** Where port-forwards to pods end: KWOK reads it from `PortForward` objects named after the pods. */
export interface PortForwards {
    /** Sends a pod's port to a port of loopback. */
    send(namespace: string, pod: string, podPort: number, loopbackPort: number): Promise<void>;
    /** Takes that back; nothing happens where there is none. */
    remove(namespace: string, pod: string): Promise<void>;
}

const header = { apiVersion: "kwok.x-k8s.io/v1alpha1", kind: "PortForward" };

/** Writes KWOK's `PortForward` objects. */
export function portForwards(client: typeof k8s, kubeconfig: k8s.KubeConfig): PortForwards {
    const api = client.KubernetesObjectApi.makeApiClient(kubeconfig);
    return {
        send: async (namespace, pod, podPort, loopbackPort) => {
            const object = {
                ...header,
                metadata: { name: pod, namespace },
                spec: { forwards: [{ ports: [podPort], target: { port: loopbackPort, address: "127.0.0.1" } }] },
            };
            const manager = "pulumi-tidb-sandbox";
            await api.patch(object, undefined, undefined, manager, true, client.PatchStrategy.ServerSideApply);
        },
        remove: async (namespace, pod) => {
            try {
                await api.delete({ ...header, metadata: { name: pod, namespace } });
            } catch (error) {
                if (!(error instanceof client.ApiException) || error.code !== 404) {
                    throw error;
                }
            }
        },
    };
}
