import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { KubernetesApiError } from "../../provider/cluster/apiCall";
import { inGroups } from "../../provider/cluster/inGroups";
import type { JobCalls } from "../../provider/cluster/jobs/jobCalls";
import { isNewer, jobsToDiagnose } from "../../provider/lifecycle/diagnosis/clusterJobs";
import type { AskedPod } from "../../provider/lifecycle/diagnosis/facts";

/** The pods of Jobs that are to be diagnosed, and which are not known, and why. */
export interface JobPods {
    readonly pods: readonly AskedPod[];
    readonly unread: readonly string[];
}

/** Jobs whose pods are read at once. */
const jobsAtOnce = 20;

/** Reads the newest pod of each Job of the cluster that has not succeeded. A Job whose pod cannot be created has none. */
export async function readJobPods(
    calls: Pick<JobCalls, "jobs" | "pods">,
    cluster: { readonly cluster: string; readonly namespace: string },
): Promise<JobPods> {
    const all = await orUnread("the pods of Jobs", async () => {
        const jobs = jobsToDiagnose(await calls.jobs(""), cluster);
        return inGroups(jobs, jobsAtOnce, ({ metadata }) => {
            const job = metadata?.name ?? "";
            return orUnread(`the pods of Job ${job}`, async () => {
                const own = (await calls.pods(job)).filter((pod) =>
                    pod.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid),
                );
                const newest = own.reduce<V1Pod | undefined>(
                    (one, other) => (one && isNewer(one, other) ? one : other),
                    undefined,
                );
                if (newest?.status?.phase === "Succeeded") {
                    return [];
                }
                const name = newest?.metadata?.name;
                const pod = name === undefined ? { job, name: `a pod of Job ${job}`, isMissing: true } : { job, name };
                return [{ pods: [pod], unread: [] }];
            });
        });
    });
    const found = all.flat();
    return { pods: found.flatMap(({ pods }) => pods), unread: found.flatMap(({ unread }) => unread) };
}

/** What the API server does not say is not known. */
async function orUnread<T>(what: string, read: () => Promise<T[]>): Promise<(T | JobPods)[]> {
    try {
        return await read();
    } catch (error) {
        if (error instanceof KubernetesApiError) {
            return [{ pods: [], unread: [`${what}: ${error.message}`] }];
        }
        throw error;
    }
}
