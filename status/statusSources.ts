import type { ClusterAccess } from "../provider/cluster/access";
import type { DeployedCluster } from "../provider/cluster/deployedCluster";
import { loadKubeConfig } from "../provider/cluster/kubeConfig";
import { createKubernetesApi, type KubernetesApi } from "../provider/cluster/kubernetesApi";
import { type KubernetesTarget, targetOf } from "../provider/cluster/kubernetesTarget";
import { type GateWorld, liveWorld } from "../provider/gates/gateWorld";
import { readOnlyWorld } from "../provider/gates/readOnlyWorld";

/** What a status reads. Nothing here can change a cluster. */
export interface StatusSources {
    readonly world: GateWorld;
    /** Returns which Kubernetes cluster is read. @throws ClusterAccessError if `access` leads to none. */
    readonly kubernetes: (access: ClusterAccess) => Promise<KubernetesTarget>;
    /** Reads what Kubernetes shows of a deployed cluster; undefined if it has no Lease. */
    readonly deployed: (
        access: ClusterAccess,
        namespace: string,
        cluster: string,
    ) => Promise<DeployedCluster | undefined>;
}

/** Returns the sources of the cluster that a kubeconfig leads to. */
export function liveSources(): StatusSources {
    let connected: Promise<Pick<KubernetesApi, "readDeployedCluster">> | undefined;
    return {
        // A status that is watched asks PD again each time, whatever it answered before.
        world: readOnlyWorld(liveWorld, "effect"),
        kubernetes: async (access) => targetOf(await loadKubeConfig(access)),
        deployed: async (access, namespace, cluster) => {
            connected ??= loadKubeConfig(access).then(createKubernetesApi);
            return (await connected).readDeployedCluster(namespace, cluster);
        },
    };
}
