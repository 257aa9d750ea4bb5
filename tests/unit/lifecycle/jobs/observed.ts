import type {
    JobObservation,
    JobTarget,
    ObservedJob,
    ObservedJobPod,
} from "../../../../provider/lifecycle/jobs/observedJob";
import { known, notAsked } from "../../../../provider/lifecycle/vocabulary/evidence";

export const target: JobTarget = {
    namespace: "tidb",
    job: "basic-init",
    jobUid: "u1",
    revision: "r1",
    does: "initialize basic",
    attempt: 1,
    attemptField: "attempt",
    timeoutSeconds: 60,
};

/** A Job that the Kubernetes provider has just created: suspended, and never changed. */
export const created: ObservedJob = {
    uid: "u1",
    revision: "r1",
    generation: 1,
    suspended: true,
    deleting: false,
    active: 0,
    failed: 0,
    secrets: [],
    conditions: [{ type: "Suspended", reason: "JobSuspended", message: "Job suspended", at: "" }],
};

export const started: ObservedJob = { ...created, generation: 2, suspended: false, active: 1, conditions: [] };

export const complete: ObservedJob = {
    ...started,
    active: 0,
    conditions: [
        { type: "SuccessCriteriaMet", reason: "CompletionsReached", message: "", at: "2026-11-24T00:00:00Z" },
        { type: "Complete", reason: "CompletionsReached", message: "", at: "2026-11-24T00:00:00Z" },
    ],
};

export const failed: ObservedJob = {
    ...started,
    active: 0,
    failed: 1,
    conditions: [
        { type: "FailureTarget", reason: "BackoffLimitExceeded", message: "", at: "" },
        {
            type: "Failed",
            reason: "BackoffLimitExceeded",
            message: "Job has reached the specified backoff limit",
            at: "",
        },
    ],
};

export function pod(name: string, changes: Partial<ObservedJobPod> = {}): ObservedJobPod {
    return {
        name,
        phase: "Running",
        reason: "",
        unscheduled: "",
        createdAt: "2026-11-24T00:00:00Z",
        containers: [{ name: "mysql-client", state: { is: "running" } }],
        ...changes,
    };
}

export function ended(name: string, exitCode: number, changes: Partial<ObservedJobPod> = {}): ObservedJobPod {
    const state = { is: "ended", exitCode, reason: exitCode === 0 ? "Completed" : "Error", message: "" } as const;
    return pod(name, {
        phase: exitCode === 0 ? "Succeeded" : "Failed",
        containers: [{ name: "mysql-client", state }],
        ...changes,
    });
}

export function seen(
    job: ObservedJob | undefined,
    pods: readonly ObservedJobPod[] = [],
    lines?: readonly string[],
): JobObservation {
    return {
        now: 0,
        job: known(job, "the API server", 0),
        pods: known(pods, "the API server", 0),
        lastLines: lines === undefined ? notAsked : known(lines, "the API server", 0),
    };
}
