import type { JobObservation, ObservedJobContainer, ObservedJobPod } from "./observedJob";

/** A container of a Job's pod. */
export interface JobContainer {
    readonly pod: ObservedJobPod;
    readonly container: ObservedJobContainer;
}

/** @returns the container that failed last: of the newest pod with one, the first that ended with another exit code than 0. */
export function failedContainer(pods: readonly ObservedJobPod[]): JobContainer | undefined {
    for (const pod of newestFirst(pods)) {
        const container = pod.containers.find(({ state }) => state.is === "ended" && state.exitCode !== 0);
        if (container) {
            return { pod, container };
        }
    }
    return undefined;
}

/**
 * @returns the container whose last lines say most: the one that failed last if the Job has failed, or else the one that runs, or the last that ended, of
 * the newest pod. Undefined if no container has begun, or its pods are not known.
 */
export function logOf(observation: Pick<JobObservation, "job" | "pods">): JobContainer | undefined {
    if (!observation.pods.known) {
        return undefined;
    }
    const pods = observation.pods.value;
    const isOver = observation.job.known && observation.job.value?.conditions.some(({ type }) => type === "Failed");
    const failed = isOver ? failedContainer(pods) : undefined;
    if (failed) {
        return failed;
    }
    for (const pod of newestFirst(pods)) {
        const running = pod.containers.find(({ state }) => state.is === "running");
        const begun = running ?? pod.containers.filter(({ state }) => state.is === "ended").at(-1);
        if (begun) {
            return { pod, container: begun };
        }
    }
    return undefined;
}

/** @returns the pods, the newest first; the order of two that were created in the same second is that of their names. */
export function newestFirst(pods: readonly ObservedJobPod[]): ObservedJobPod[] {
    return [...pods].sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.name.localeCompare(b.name));
}
