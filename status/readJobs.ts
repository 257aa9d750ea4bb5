import { KubernetesApiError } from "../provider/cluster/apiCall";
import { inGroups } from "../provider/cluster/inGroups";
import type { JobCalls } from "../provider/cluster/jobs/jobCalls";
import { observeJob } from "../provider/cluster/jobs/observeJob";
import { jobsToDiagnose } from "../provider/lifecycle/diagnosis/clusterJobs";
import { jobLacks } from "../provider/lifecycle/jobs/jobWords";
import type { JobStatus } from "./clusterStatus";
import type { SchedulesReading } from "./schedules/scheduleStatus";

const jobsAtOnce = 20;

/** Reads the Jobs of a cluster that run or wait, such as Backups and Restores. Those of schedules are told with their schedules. */
export async function readJobs(
    calls: Pick<JobCalls, "jobs" | "pods">,
    cluster: { readonly namespace: string; readonly cluster: string },
    now: () => number,
): Promise<SchedulesReading<JobStatus>> {
    try {
        const open = jobsToDiagnose(await calls.jobs(""), cluster).filter(
            ({ metadata, status }) =>
                !status?.conditions?.some((one) => one.type === "Failed" && one.status === "True") &&
                !metadata?.ownerReferences?.some(({ kind }) => kind === "CronJob"),
        );
        const value = await inGroups(open, jobsAtOnce, async (job): Promise<JobStatus> => {
            const { name = "", creationTimestamp = now() } = job.metadata ?? {};
            const read = { job: () => Promise.resolve(job), pods: (of: string) => calls.pods(of) };
            const seen = await observeJob(read, name, now);
            return { name, since: new Date(creationTimestamp).toISOString(), words: jobLacks(seen) };
        });
        return { known: true, value };
    } catch (error) {
        if (error instanceof KubernetesApiError) {
            return { known: false, why: error.message, isForbidden: error.status === 403 };
        }
        throw error;
    }
}
