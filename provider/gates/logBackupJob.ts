import { jobRevisionAnnotation } from "../../topology/annotations";
import { jobName, type JobTarget, type ObservedJob } from "../lifecycle/jobs/observedJob";
import { stepWords } from "../lifecycle/logBackup/logWords";
import { logBackupName } from "../lifecycle/logBackup/planLogBackup";
import type { LogBackupBefore, LogStep } from "../lifecycle/logBackup/target";
import type { LogBackupJob, LogBackupProgramInputs } from "./logBackupInputs";

/** @returns the Job of a step. All steps have the same name, so two never run at once. */
export function jobOf(inputs: LogBackupProgramInputs, step: LogStep): LogBackupJob {
    const job = structuredClone(inputs.job);
    job.metadata.annotations = { ...job.metadata.annotations, [jobRevisionAnnotation]: revisionOf(inputs, step) };
    const [container] = job.spec.template.spec.containers;
    container.args = [...inputs.commands[step], ...container.args];
    return job;
}

/** @returns what tells the Job of a step from that of another step, another attempt, or an earlier version of the program. */
export function revisionOf({ attempt, digest }: LogBackupProgramInputs, step: LogStep): string {
    return `${step}-${attempt}-${digest}`;
}

/** @returns what was reached before, with the truncation that a Job proves. A stop comes after it. */
export function reachedWith(
    job: ObservedJob | undefined,
    inputs: LogBackupProgramInputs,
    before: LogBackupBefore,
): LogBackupBefore {
    const isComplete = job?.conditions.some(({ type }) => type === "Complete");
    const isTruncated =
        job?.revision === revisionOf(inputs, "stop") ||
        (isComplete && job?.revision === revisionOf(inputs, "truncate"));
    return isTruncated ? { ...before, truncateUntil: inputs.truncateUntil } : before;
}

/** @returns whether a Job is that of a step. A Backup named `<name>-log` has a Job of the same name, with another revision. */
export function isOwn({ revision }: Pick<ObservedJob, "revision">): boolean {
    return /^(start|pause|resume|stop|truncate)-\d+-/.test(revision);
}

/** @returns the Job as `runJob` waits for it. */
export function targetOf(inputs: LogBackupProgramInputs, { uid, revision }: ObservedJob): JobTarget {
    const { attempt, timeoutSeconds, commands, job } = inputs;
    const step = (Object.keys(commands) as LogStep[]).find((one) => revision.startsWith(`${one}-`));
    return {
        namespace: job.metadata.namespace,
        job: job.metadata.name,
        jobUid: uid,
        revision,
        does: step === undefined ? logBackupName(inputs) : stepWords(step, inputs),
        attempt,
        attemptField: "attempt",
        timeoutSeconds,
    };
}

/** @returns how messages name the Job of the steps. */
export function ownJobName({ job: { metadata } }: LogBackupProgramInputs): string {
    return jobName({ namespace: metadata.namespace, job: metadata.name });
}

/** @returns whether a Job has not ended. */
export function isAtWork({ conditions }: ObservedJob): boolean {
    return !conditions.some(({ type }) => type === "Complete" || type === "Failed");
}
