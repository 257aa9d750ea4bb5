import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** Sets the targets of port-forwards to pods, which KWOK reads from `PortForward` objects named after the pods. */
export interface PortForwards {
    /** Directs all simulated ports of a pod to loopback ports. */
    send(namespace: string, pod: string, ports: readonly ServedPort[]): Promise<void>;
    /** Removes the targets of a pod. Does nothing if there are none. */
    remove(namespace: string, pod: string): Promise<void>;
}

/** A port of a pod, and the port of this machine that serves it. */
export interface ServedPort {
    podPort: number;
    loopbackPort: number;
    /** Default: 127.0.0.1. */
    address?: string;
}

const header = { apiVersion: "kwok.x-k8s.io/v1alpha1", kind: "PortForward" };

/** Creates the writer of KWOK's `PortForward` objects. */
export function portForwards(client: typeof k8s, kubeconfig: k8s.KubeConfig): PortForwards {
    const api = client.KubernetesObjectApi.makeApiClient(kubeconfig);
    return {
        send: async (namespace, pod, ports) => {
            const forwards = ports.map(({ podPort, loopbackPort, address = "127.0.0.1" }) => ({
                ports: [podPort],
                target: { port: loopbackPort, address },
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
