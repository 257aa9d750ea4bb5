import { setTimeout as sleep } from "node:timers/promises";
import { steadyNow } from "../cluster/clock";
import type { Progress } from "../cluster/gatePorts";
import { createJobCalls } from "../cluster/jobs/jobCalls";
import { observeJob } from "../cluster/jobs/observeJob";
import { loadKubeConfig } from "../cluster/kubeConfig";
import { createKubernetesApi } from "../cluster/kubernetesApi";
import { UserData } from "../cluster/userData";
import type { JobObservation } from "../lifecycle/jobs/observedJob";
import type { Fact } from "../lifecycle/vocabulary/evidence";
import { createProgress } from "./progress";
import type { RestoreProgramInputs } from "./restoreInputs";

/** Everything that the gate before a restore uses from outside. */
export interface RestorePorts {
    now(): number;
    sleep(milliseconds: number): Promise<unknown>;
    /** The schemas that users created in the cluster. */
    schemas(): Promise<Fact<string[]>>;
    /** The Job of this attempt. */
    job(): Promise<JobObservation["job"]>;
    close(): void;
    progress: Progress;
}

/** How the gate before a restore reaches its cluster and the user. */
export interface RestoreWorld {
    /** Messages on the gate's line, without reading its cluster. */
    progress(inputs: Pick<RestoreProgramInputs, "statusUrn">): Progress;
    /** @throws ClusterAccessError if the access leads to no cluster. */
    open(inputs: RestoreProgramInputs): Promise<RestorePorts>;
}

export const liveRestoreWorld: RestoreWorld = {
    progress: ({ statusUrn }) => createProgress(statusUrn),
    open: async ({ access, namespace, cluster, instance, domain, tls, job, jobNamespace, statusUrn }) => {
        const config = await loadKubeConfig(access);
        const id = { namespace, cluster, instance, ...(domain ? { domain } : {}) };
        const data = new UserData(await createKubernetesApi(config), id, config, tls, steadyNow);
        const calls = await createJobCalls(config, jobNamespace);
        return {
            now: steadyNow,
            sleep: (milliseconds) => sleep(milliseconds),
            schemas: () => data.schemas(),
            job: async () => (await observeJob(calls, job, steadyNow)).job,
            close: () => data.close(),
            progress: createProgress(statusUrn),
        };
    },
};
