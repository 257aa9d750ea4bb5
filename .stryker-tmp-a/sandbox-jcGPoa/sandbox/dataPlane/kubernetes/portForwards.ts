import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** Where port-forwards to pods end: KWOK reads it from `PortForward` objects named after the pods. */
export interface PortForwards {
    /** Sends ports of a pod, all that are played, to ports of loopback. */
    send(namespace: string, pod: string, ports: readonly PlayedPort[]): Promise<void>;
    /** Takes that back; nothing happens where there is none. */
    remove(namespace: string, pod: string): Promise<void>;
}

/** A port of a pod, and where it is played. */
export interface PlayedPort {
    podPort: number;
    loopbackPort: number;
}

const header = { apiVersion: "kwok.x-k8s.io/v1alpha1", kind: "PortForward" };

/** Writes KWOK's `PortForward` objects. */
export function portForwards(client: typeof k8s, kubeconfig: k8s.KubeConfig): PortForwards {
    const api = client.KubernetesObjectApi.makeApiClient(kubeconfig);
    return {
        send: async (namespace, pod, ports) => {
            const forwards = ports.map(({ podPort, loopbackPort }) => ({
                ports: [podPort],
                target: { port: loopbackPort, address: "127.0.0.1" },
            }));
            const object = {
                ...header,
                metadata: { name: pod, namespace },
                spec: { forwards },
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
