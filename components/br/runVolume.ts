import type { Container, KubernetesFields } from "../kubernetes/pod";

/** Where the containers of a Job leave each other what the next one needs. */
export const runFolder = "/pulumi-tidb-run";

const name = "pulumi-tidb-run";

/** @returns a pod whose container has a folder that lives as long as the pod. */
export function withRunVolume<C extends Container, Pod extends KubernetesFields & { containers: [C] }>(pod: Pod): Pod {
    const [container] = pod.containers;
    const mounts = [...((container.volumeMounts as object[] | undefined) ?? []), { name, mountPath: runFolder }];
    return {
        ...pod,
        containers: [{ ...container, volumeMounts: mounts }],
        volumes: [...((pod.volumes as object[] | undefined) ?? []), { name, emptyDir: {} }],
    };
}
