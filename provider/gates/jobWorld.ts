import { setTimeout as sleep } from "node:timers/promises";
import type { JobContainer } from "../lifecycle/jobs/jobContainers";
import type { JobBeside } from "../lifecycle/jobs/jobsBeside";
import type { JobObservation } from "../lifecycle/jobs/observedJob";
import type { NamespaceState } from "../lifecycle/prerequisites/namespace";
import type { Fact } from "../lifecycle/vocabulary/evidence";
import { createAccessReview } from "../cluster/accessReview";
import { sleepAwareClock, steadyNow } from "../cluster/clock";
import type { Progress } from "../cluster/gatePorts";
import { createJobCalls, type JobCalls } from "../cluster/jobs/jobCalls";
import { observeBeside, observeJob, readLastLines } from "../cluster/jobs/observeJob";
import { loadKubeConfig } from "../cluster/kubeConfig";
import { ObservationAge } from "../cluster/observationAge";
import type { JobProgramInputs } from "./jobInputs";
import { createProgress } from "./progress";

/** Everything that the gate of a Job uses from outside. */
export interface JobPorts {
    now(): number;
    sleep(milliseconds: number): Promise<unknown>;
    look(): Promise<JobObservation>;
    /** The last lines of a container's log. What cannot be read is not known. */
    lastLines(of: JobContainer): Promise<Fact<readonly string[]>>;
    /** The Secrets in its namespace that do not exist. One that may not be read, or whose answer fails, is not known to be absent. */
    absentSecrets(names: readonly string[]): Promise<readonly string[]>;
    /** Whether its namespace is there. Default: not known. */
    namespaceState?(): Promise<NamespaceState>;
    /** The Jobs of its namespace that may be at work. @throws KubernetesApiError if the API server refuses; that it does not answer is not known. */
    beside(): Promise<Fact<readonly JobBeside[]>>;
    /**
     * Lets the Job with this UID run.
     * @throws KubernetesApiError if the API server does not do it; StaleDecision if what `beside` found is too old by the time it is sent
     */
    start(uid: string): Promise<void>;
    progress: Progress;
    /** Who asked the run to stop. Default: nobody can, because it holds no lock. */
    stopAsked?(): Promise<string | undefined>;
}

/** How the gate of a Job reaches its Kubernetes cluster and the user. */
export interface JobWorld {
    /** Messages on the gate's line, without reading its cluster. */
    progress(inputs: Pick<JobProgramInputs, "statusUrn">): Progress;
    /** @throws ClusterAccessError if the access leads to no cluster. */
    open(inputs: JobPlace): Promise<JobPorts>;
}

/** Where a Job is, and on which line messages about it are shown. */
export type JobPlace = Pick<JobProgramInputs, "access" | "namespace" | "job" | "statusUrn">;

export const liveJobWorld: JobWorld = {
    progress: ({ statusUrn }) => createProgress(statusUrn),
    open: async ({ access, namespace, job, statusUrn }) => {
        const config = await loadKubeConfig(access);
        const calls = await createJobCalls(config, namespace);
        return {
            now: steadyNow,
            sleep: (milliseconds) => sleep(milliseconds),
            look: () => observeJob(calls, job, steadyNow),
            lastLines: (of) => readLastLines(calls, of, steadyNow),
            absentSecrets: (names) => createAccessReview(config, namespace).absentSecrets(names),
            namespaceState: () => createAccessReview(config, namespace).namespaceState(),
            ...startAfterLook(calls, job),
            progress: createProgress(statusUrn),
        };
    },
};

/**
 * The look at the Jobs of a namespace, and the start of one, which is sent only within seconds of that look.
 * @param now a clock that counts sleep.
 */
export function startAfterLook(
    calls: Parameters<typeof observeBeside>[0] & Pick<JobCalls, "unsuspend">,
    job: string,
    now = sleepAwareClock(),
): Pick<JobPorts, "beside" | "start"> {
    const age = new ObservationAge(now);
    return {
        beside: () => age.measure(() => observeBeside(calls, steadyNow)),
        start: (uid) => calls.unsuspend(job, uid, () => age.assertRecent(false)),
    };
}
