import { setTimeout as sleep } from "node:timers/promises";
import type { V1Job } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { createAccessReview } from "../cluster/accessReview";
import { KubernetesApiError } from "../cluster/apiCall";
import { ClientCertificate } from "../cluster/clientCertificate";
import { sleepAwareClock, steadyNow } from "../cluster/clock";
import { createJobCalls } from "../cluster/jobs/jobCalls";
import { observeJob, readLastLines } from "../cluster/jobs/observeJob";
import { loadKubeConfig } from "../cluster/kubeConfig";
import { createKubernetesApi } from "../cluster/kubernetesApi";
import { ObservationAge } from "../cluster/observationAge";
import { PdConnection } from "../cluster/pdConnection";
import type { LogTask } from "../lifecycle/logBackup/target";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import { type JobPorts, startAfterLook } from "./jobWorld";
import type { LogBackupJob, LogBackupProgramInputs } from "./logBackupInputs";
import { createProgress } from "./progress";

/** Everything that the gate of a log backup uses from outside. */
export interface LogBackupPorts extends JobPorts {
    /** The tasks of log backups that PD knows. @throws KubernetesApiError if the API server refuses to show PD's pods. */
    tasks(): Promise<Fact<readonly LogTask[]>>;
    /** @returns its UID; undefined if another Job of its name is there. */
    create(job: LogBackupJob): Promise<string | undefined>;
    /** Deletes the Job with this UID. That it is gone, or is another one, counts as success. */
    remove(uid: string): Promise<void>;
    close(): void;
}

/** How the gate of a log backup reaches its clusters and the user. */
export interface LogBackupWorld {
    /** Messages on the gate's line, without reading its cluster. */
    progress(inputs: Pick<LogBackupProgramInputs, "statusUrn">): JobPorts["progress"];
    /** @throws ClusterAccessError if the access leads to no cluster. */
    open(inputs: LogBackupProgramInputs): Promise<LogBackupPorts>;
}

export const liveLogBackupWorld: LogBackupWorld = {
    progress: ({ statusUrn }) => createProgress(statusUrn),
    open: async ({ access, namespace, cluster, instance, domain, tls, job, statusUrn }) => {
        const config = await loadKubeConfig(access);
        const api = await createKubernetesApi(config);
        const pdAccess = { namespace, cluster, instance, tls, ...(domain ? { domain } : {}) };
        const pd = new PdConnection(api, config, pdAccess, new ClientCertificate(api, pdAccess));
        const jobs = await createJobCalls(config, job.metadata.namespace);
        const { name } = job.metadata;
        const age = new ObservationAge(sleepAwareClock());
        const readTasks = async () => {
            const at = steadyNow();
            try {
                const pods = await api.readPods(pdAccess, "pd", steadyNow);
                return known(await pd.ask((client) => client.logBackups(), pods), "PD", at);
            } catch (error) {
                if (error instanceof KubernetesApiError && !error.isTransient) {
                    throw error;
                }
                return notKnown((error as Error).message);
            }
        };
        return {
            now: steadyNow,
            sleep: (milliseconds) => sleep(milliseconds),
            tasks: () => age.measure(readTasks),
            look: () => observeJob(jobs, name, steadyNow),
            lastLines: (of) => readLastLines(jobs, of, steadyNow),
            absentSecrets: (names) => createAccessReview(config, job.metadata.namespace).absentSecrets(names),
            ...startAfterLook(jobs, name),
            create: (made) => jobs.create(made as V1Job, () => age.assertRecent(false)),
            remove: (uid) => jobs.remove(name, uid),
            close: () => pd.forget(),
            progress: createProgress(statusUrn),
        };
    },
};
