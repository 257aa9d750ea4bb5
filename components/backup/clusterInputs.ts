import type { KubernetesOf } from "../besideCluster";
import type { PlannedBr } from "./plannedBr";

/** @returns the inputs with which a gate of a backup or restore finds its cluster. */
export function clusterInputs({ cluster }: Pick<PlannedBr, "cluster">, { access }: KubernetesOf) {
    return {
        access,
        namespace: cluster.namespace,
        cluster: cluster.name,
        instance: cluster.instance,
        domain: cluster.apply(({ domain }) => domain),
        tls: cluster.tls,
    };
}
