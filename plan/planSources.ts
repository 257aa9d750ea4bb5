import type { ClusterAccess } from "../provider/cluster/access";
import { loadKubeConfig } from "../provider/cluster/kubeConfig";
import { createKubernetesApi, type KubernetesApi } from "../provider/cluster/kubernetesApi";
import { type GateWorld, liveWorld } from "../provider/gates/gateWorld";
import { readOnlyWorld } from "../provider/gates/readOnlyWorld";
import type { LiveMember } from "../provider/cluster/liveMember";
import type { KubernetesTarget } from "./clusterPlan";
import { targetOf } from "./readFrom";

/** What a plan reads. Nothing here can change a cluster. */
export interface PlanSources {
    /** How gates reach the cluster. */
    readonly world: GateWorld;
    /** Returns which Kubernetes cluster is read. @throws ClusterAccessError if `access` leads to none. */
    readonly kubernetes: (access: ClusterAccess) => Promise<KubernetesTarget>;
    /** Reads what the last update left of a member; `undefined` if it has no StatefulSet. */
    readonly liveMember: (
        access: ClusterAccess,
        namespace: string,
        statefulSet: string,
    ) => Promise<LiveMember | undefined>;
}

/** Returns the sources of the cluster that a kubeconfig leads to. */
export function liveSources(): PlanSources {
    let connected: Promise<Pick<KubernetesApi, "readLiveMember">> | undefined;
    return {
        world: readOnlyWorld(liveWorld),
        kubernetes: async (access) => targetOf(await loadKubeConfig(access)),
        liveMember: async (access, namespace, statefulSet) => {
            connected ??= loadKubeConfig(access).then(createKubernetesApi);
            return (await connected).readLiveMember(namespace, statefulSet);
        },
    };
}
