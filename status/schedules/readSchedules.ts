import type { V1CronJob, V1Job } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { KubernetesApiError } from "../../provider/cluster/apiCall";
import type { JobCalls } from "../../provider/cluster/jobs/jobCalls";
import { observeJob, readLastLines } from "../../provider/cluster/jobs/observeJob";
import { logOf } from "../../provider/lifecycle/jobs/jobContainers";
import { failedWords, jobLacks } from "../../provider/lifecycle/jobs/jobWords";
import { backsUpAnnotation } from "../../topology/annotations";
import { scheduleLabel } from "../../topology/labels";
import type { SchedulesReading, SeenSchedule } from "./scheduleStatus";

/** The calls that this takes. */
export type ScheduleCalls = Pick<JobCalls, "cronJobs" | "jobs" | "pods" | "log">;

/**
 * Reads the BackupSchedules of a cluster in its namespace, and of each the newest Job. A cluster without one costs one call. That the
 * API server refuses is not known: many users may not list CronJobs.
 */
export async function readSchedules(
    calls: ScheduleCalls,
    { namespace, cluster }: { namespace: string; cluster: string },
    now: () => number,
): Promise<SchedulesReading<SeenSchedule>> {
    try {
        const all = await calls.cronJobs(scheduleLabel);
        const own = all.filter(
            ({ metadata }) => metadata?.annotations?.[backsUpAnnotation] === `${namespace}/${cluster}`,
        );
        const jobs = own.length === 0 ? [] : await calls.jobs(scheduleLabel);
        return { known: true, value: await Promise.all(own.map((one) => seenSchedule(calls, one, jobs, now))) };
    } catch (error) {
        if (error instanceof KubernetesApiError) {
            return { known: false, why: error.message, isForbidden: error.status === 403 };
        }
        throw error;
    }
}

async function seenSchedule(
    calls: ScheduleCalls,
    { metadata, spec, status }: V1CronJob,
    jobs: readonly V1Job[],
    now: () => number,
): Promise<SeenSchedule> {
    const [newest] = jobs
        .filter((job) => job.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid))
        .sort(
            (one, other) => timeOf(other.metadata?.creationTimestamp, 0) - timeOf(one.metadata?.creationTimestamp, 0),
        );
    return {
        name: metadata?.labels?.[scheduleLabel] ?? "",
        namespace: metadata?.namespace ?? "",
        cronJob: metadata?.name ?? "",
        schedule: spec?.schedule ?? "",
        timeZone: spec?.timeZone ?? "Etc/UTC",
        isPaused: spec?.suspend ?? false,
        createdAt: timeOf(metadata?.creationTimestamp, now()),
        lastScheduledAt: timeOf(status?.lastScheduleTime, undefined),
        lastSucceededAt: timeOf(status?.lastSuccessfulTime, undefined),
        newest: newest === undefined ? undefined : await seenJob(calls, newest, metadata?.namespace ?? "", now),
    };
}

async function seenJob(
    calls: ScheduleCalls,
    job: V1Job,
    namespace: string,
    now: () => number,
): Promise<SeenSchedule["newest"]> {
    const name = job.metadata?.name ?? "";
    const condition = (type: string) =>
        job.status?.conditions?.find((one) => one.type === type && one.status === "True");
    if (condition("Complete")) {
        return { job: name, is: "complete", words: "" };
    }
    const read = { job: () => Promise.resolve(job), pods: (of: string) => calls.pods(of) };
    const seen = await observeJob(read, name, now);
    const of = logOf(seen);
    const observation = of === undefined ? seen : { ...seen, lastLines: await readLastLines(calls, of, now) };
    const failed = condition("Failed");
    return failed
        ? { job: name, is: "failed", words: failedWords(observation, failed, namespace) }
        : { job: name, is: "running", words: jobLacks(observation) };
}

/** The client has dates; an API server that is played in a test has texts. */
function timeOf<T>(time: Date | string | undefined, otherwise: T): number | T {
    return time === undefined ? otherwise : new Date(time).getTime();
}
