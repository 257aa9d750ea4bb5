import type { KubernetesApi } from "../../provider/cluster/kubernetesApi";
import type { KubernetesTarget } from "../../provider/cluster/kubernetesTarget";
import { viewLease } from "../../provider/cluster/leaseView";
import { journalName, leaseName } from "../../topology/names";
import { assembleTimeline } from "./assembleTimeline";
import type { ClusterTimeline } from "./clusterTimeline";

/** What a timeline reads. Nothing here can change a cluster. */
export interface TimelineSources {
    /** Which Kubernetes cluster is read. */
    readonly kubernetes: KubernetesTarget;
    readonly api: Pick<KubernetesApi, "readLease" | "readConfigMap">;
    readonly now: () => number;
}

/**
 * Reads what the last operations on a cluster did.
 * @throws Error if there is no Lease of it, KubernetesApiError if the API server cannot be asked.
 */
export async function readTimeline(
    namespace: string,
    name: string,
    { kubernetes, api, now }: TimelineSources,
): Promise<ClusterTimeline> {
    const lease = await api.readLease(namespace, leaseName(name));
    if (lease === undefined) {
        throw new Error(
            `no pulumi-tidb cluster named ${name} in namespace ${namespace} at ${kubernetes.server}: found no Lease; check the name, namespace and context`,
        );
    }
    const journal = await api.readConfigMap(namespace, journalName(name));
    const { holder } = viewLease(lease).lock;
    return assembleTimeline({ kubernetes, namespace, name, texts: journal?.binaryData ?? {}, holder, now: now() });
}
