import type { KubernetesApi } from "../../provider/cluster/kubernetesApi";
import type { KubernetesTarget } from "../../provider/cluster/kubernetesTarget";
import { viewLease } from "../../provider/cluster/leaseView";
import { NoSuchCluster } from "../../provider/cluster/noSuchCluster";
import { isOverdue } from "../../provider/lifecycle/vocabulary/lock";
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

/** By how much the clock of this machine may be ahead of the run's. */
const clocksMayDiffer = 15_000;

/**
 * Reads what the last operations on a cluster did.
 * @throws NoSuchCluster if there is no Lease of it, KubernetesApiError if the API server cannot be asked.
 */
export async function readTimeline(
    namespace: string,
    name: string,
    { kubernetes, api, now }: TimelineSources,
): Promise<ClusterTimeline> {
    const lease = await api.readLease(namespace, leaseName(name));
    if (lease === undefined) {
        throw new NoSuchCluster(namespace, name, kubernetes.server);
    }
    const journal = await api.readConfigMap(namespace, journalName(name));
    const { lock } = viewLease(lease);
    const holder = isOverdue(lock, now() - clocksMayDiffer) ? undefined : lock.holder;
    return assembleTimeline({ kubernetes, namespace, name, texts: journal?.binaryData ?? {}, holder, now: now() });
}
