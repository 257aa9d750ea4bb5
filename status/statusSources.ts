import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { DeployedCluster } from "../provider/cluster/deployedCluster";
import { createKubernetesApi, type KubernetesApi } from "../provider/cluster/kubernetesApi";
import { type KubernetesTarget, targetOf } from "../provider/cluster/kubernetesTarget";
import { createJobCalls } from "../provider/cluster/jobs/jobCalls";
import { type GateWorld, liveWorld } from "../provider/gates/gateWorld";
import { readOnlyWorld } from "../provider/gates/readOnlyWorld";
import { type JobPods, readJobPods } from "./diagnosis/readJobPods";
import type { JobStatus } from "./clusterStatus";
import { readJobs } from "./readJobs";
import { readSchedules } from "./schedules/readSchedules";
import type { SchedulesReading, SeenSchedule } from "./schedules/scheduleStatus";

/** How a cluster is read without its program. */
export interface StatusSources {
    readonly world: GateWorld;
    /** Which Kubernetes cluster is read. */
    readonly kubernetes: KubernetesTarget;
    /** Reads what Kubernetes shows of a deployed cluster; undefined if it has no Lease. */
    readonly deployed: (namespace: string, cluster: string) => Promise<DeployedCluster | undefined>;
    /** Reads the BackupSchedules of a cluster. */
    readonly schedules: (namespace: string, cluster: string) => Promise<SchedulesReading<SeenSchedule>>;
    /** Reads the Jobs of a cluster that run or wait. */
    readonly jobs: (namespace: string, cluster: string) => Promise<SchedulesReading<JobStatus>>;
    /** Reads which pods of Jobs of a cluster are to be diagnosed. */
    readonly jobPods: (namespace: string, cluster: string) => Promise<JobPods>;
}

/** Returns the sources of the cluster that a loaded kubeconfig leads to. */
export function liveSources(config: KubeConfig): StatusSources {
    // A status that is watched asks PD again each time, whatever it answered before.
    return { ...changingSources(config), world: readOnlyWorld(liveWorld, "effect") };
}

/** Returns the same sources with a world that can change the cluster. */
export function changingSources(config: KubeConfig): StatusSources {
    let connected: Promise<Pick<KubernetesApi, "readDeployedCluster">> | undefined;
    return {
        world: liveWorld,
        kubernetes: targetOf(config),
        deployed: async (namespace, cluster) => {
            connected ??= createKubernetesApi(config);
            return (await connected).readDeployedCluster(namespace, cluster);
        },
        schedules: async (namespace, cluster) =>
            readSchedules(await createJobCalls(config, namespace), { namespace, cluster }, Date.now),
        jobs: async (namespace, cluster) =>
            readJobs(await createJobCalls(config, namespace), { namespace, cluster }, Date.now),
        jobPods: async (namespace, cluster) =>
            readJobPods(await createJobCalls(config, namespace), { namespace, cluster }),
    };
}
