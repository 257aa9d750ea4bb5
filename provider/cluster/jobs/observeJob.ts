import type { V1ContainerStatus, V1Job, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { jobRevisionAnnotation } from "../../../topology/annotations";
import type { JobContainer } from "../../lifecycle/jobs/jobContainers";
import type { JobBeside } from "../../lifecycle/jobs/jobsBeside";
import { secretsOf } from "../../lifecycle/jobs/jobSecrets";
import type {
    JobObservation,
    ObservedJob,
    ObservedJobContainer,
    ObservedJobPod,
} from "../../lifecycle/jobs/observedJob";
import { type Fact, known, notAsked, notKnown } from "../../lifecycle/vocabulary/evidence";
import { KubernetesApiError } from "../apiCall";
import type { JobCalls } from "./jobCalls";
import { argumentsOf, jobAsUser } from "./storageUsers";

const source = "the API server";

/** Reads a Job and its pods. @throws KubernetesApiError if the API server refuses; that it does not answer is not known. */
export async function observeJob(
    calls: Pick<JobCalls, "job" | "pods">,
    name: string,
    now: () => number,
): Promise<JobObservation> {
    const at = now();
    const job = await factOf(at, async () => asObserved(await calls.job(name)));
    if (!job.known || job.value === undefined) {
        return { now: now(), job, pods: notAsked, lastLines: notAsked };
    }
    const { uid } = job.value;
    const pods = await factOf(at, async () => (await calls.pods(name)).filter((pod) => isOwnedBy(pod, uid)).map(podOf));
    return { now: now(), job, pods, lastLines: notAsked };
}

/** Reads which Jobs of the namespace may be at work. @throws KubernetesApiError if the API server refuses; that it does not answer is not known. */
export function observeBeside(
    calls: Pick<JobCalls, "jobs" | "livePods">,
    now: () => number,
): Promise<Fact<JobBeside[]>> {
    return factOf(now(), async () => {
        const jobs = (await calls.jobs(""))
            .filter(mayWork)
            .map((job) => ({ job: job.metadata?.name ?? "", ...jobAsUser(job) }));
        // After the Jobs: the pod of one that has been deleted meanwhile still counts.
        const pods = (await calls.livePods()).flatMap(({ metadata, spec }) => {
            const owner = metadata?.ownerReferences?.find(({ kind }) => kind === "Job");
            return owner === undefined
                ? []
                : [{ job: owner.name, uid: owner.uid, args: argumentsOf(spec), pod: metadata?.name ?? "" }];
        });
        return [...jobs.filter(({ hasEnded }) => !hasEnded), ...pods];
    });
}

/** Nobody has started a suspended Job that was never changed. One that is being deleted gets no pod any more. */
function mayWork({ metadata, spec }: V1Job): boolean {
    return metadata?.deletionTimestamp === undefined && (spec?.suspend !== true || metadata?.generation !== 1);
}

/** Reads the last lines of a container. What cannot be read is not known: it never rejects for that. */
export async function readLastLines(
    calls: Pick<JobCalls, "log">,
    of: JobContainer,
    now: () => number,
): Promise<Fact<string[]>> {
    try {
        const text = await calls.log(of.pod.name, of.container.name);
        return known(
            text.split("\n").filter((line) => line.trim() !== ""),
            source,
            now(),
        );
    } catch (error) {
        if (error instanceof KubernetesApiError) {
            return notKnown(error.message);
        }
        throw error;
    }
}

async function factOf<T>(at: number, read: () => Promise<T>): Promise<Fact<T>> {
    try {
        return known(await read(), source, at);
    } catch (error) {
        if (error instanceof KubernetesApiError && error.isTransient) {
            return notKnown(error.message);
        }
        throw error;
    }
}

function isOwnedBy({ metadata }: V1Pod, uid: string): boolean {
    return metadata?.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}

function asObserved(job: V1Job | undefined): ObservedJob | undefined {
    return (
        job && {
            uid: job.metadata?.uid ?? "",
            revision: job.metadata?.annotations?.[jobRevisionAnnotation] ?? "",
            generation: job.metadata?.generation ?? 0,
            suspended: job.spec?.suspend ?? false,
            deleting: job.metadata?.deletionTimestamp !== undefined,
            active: job.status?.active ?? 0,
            failed: job.status?.failed ?? 0,
            secrets: secretsOf(job.spec?.template.spec ?? { containers: [] }),
            // Without the URL's parameters, which may be long.
            storage: /^--storage=([^?\n]+)/m.exec(argumentsOf(job.spec?.template.spec).join("\n"))?.[1],
            conditions: (job.status?.conditions ?? [])
                .filter(({ status }) => status === "True")
                .map(({ type, reason, message, lastTransitionTime }) => ({
                    type,
                    reason: reason ?? "",
                    message: message ?? "",
                    at: textOf(lastTransitionTime),
                })),
        }
    );
}

function podOf({ metadata, status }: V1Pod): ObservedJobPod {
    const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
    return {
        name: metadata?.name ?? "",
        phase: status?.phase ?? "",
        reason: [status?.reason, status?.message].filter(Boolean).join(": "),
        unscheduled: scheduled?.status === "False" ? (scheduled.message ?? scheduled.reason ?? "") : "",
        createdAt: textOf(metadata?.creationTimestamp),
        containers: [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(containerOf),
    };
}

function containerOf({ name, state }: V1ContainerStatus): ObservedJobContainer {
    if (state?.terminated) {
        const { exitCode, reason = "", message = "" } = state.terminated;
        return { name, state: { is: "ended", exitCode, reason, message } };
    }
    if (state?.running) {
        return { name, state: { is: "running" } };
    }
    const { reason = "", message = "" } = state?.waiting ?? {};
    return { name, state: { is: "waiting", reason, message } };
}

/** The client has dates; an API server that is played in a test has texts. */
function textOf(time: Date | string | undefined): string {
    return time instanceof Date ? time.toISOString() : (time ?? "");
}
