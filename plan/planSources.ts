import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { createKubernetesApi, type KubernetesApi } from "../provider/cluster/kubernetesApi";
import { type KubernetesTarget, targetOf } from "../provider/cluster/kubernetesTarget";
import { type GateWorld, liveWorld } from "../provider/gates/gateWorld";
import { readOnlyWorld } from "../provider/gates/readOnlyWorld";
import type { LiveMember } from "../provider/cluster/liveMember";

/** What a plan reads. Nothing here can change a cluster. */
export interface PlanSources {
    /** How gates reach the cluster. */
    readonly world: GateWorld;
    /** Which Kubernetes cluster is read. */
    readonly kubernetes: KubernetesTarget;
    /** Reads what the last update left of a member; `undefined` if it has no StatefulSet. */
    readonly liveMember: (namespace: string, statefulSet: string) => Promise<LiveMember | undefined>;
}

/** Returns the sources of the cluster that a loaded kubeconfig leads to. */
export function liveSources(config: KubeConfig): PlanSources {
    let connected: Promise<Pick<KubernetesApi, "readLiveMember">> | undefined;
    return {
        world: readOnlyWorld(liveWorld),
        kubernetes: targetOf(config),
        liveMember: async (namespace, statefulSet) => {
            connected ??= createKubernetesApi(config);
            return (await connected).readLiveMember(namespace, statefulSet);
        },
    };
}
