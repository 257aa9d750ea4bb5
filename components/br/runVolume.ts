import type { Container, KubernetesFields } from "../kubernetes/pod";
import { temporaryFolder } from "../kubernetes/volumes";

/** Where the containers of a Job leave each other what the next one needs, and a script leaves its tool what no argument may have. */
export const runFolder = "/pulumi-tidb-run";

/** A folder that lives as long as the pod. */
export const runVolume = temporaryFolder("pulumi-tidb-run", runFolder);

/** @returns a pod whose container has that folder. */
export function withRunVolume<C extends Container, Pod extends KubernetesFields & { containers: [C] }>(pod: Pod): Pod {
    const [container] = pod.containers;
    const mounts = [...((container.volumeMounts as object[] | undefined) ?? []), runVolume.mount];
    return {
        ...pod,
        containers: [{ ...container, volumeMounts: mounts }],
        volumes: [...((pod.volumes as object[] | undefined) ?? []), runVolume.volume],
    };
}
