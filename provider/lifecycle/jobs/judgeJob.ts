import type { Problem } from "../vocabulary/move";
import { howToCreate } from "./jobSecrets";
import { failedJob, isStuck, jobLacks, outdatedJob } from "./jobWords";
import { jobName, type JobObservation, type JobTarget } from "./observedJob";

/** What an observation says of a Job. Only the Job's own conditions end it; everything else is a reason to wait, or not known. */
export type JobVerdict =
    /** It has never run: the gate starts it. */
    | { readonly is: "waits for its start" }
    /** `isStuck`: only a person can end what it waits for, and `remedy` says how, if that is known. `isMount`: it waits for a volume. */
    | {
          readonly is: "at work";
          readonly lacks: string;
          readonly isStuck?: boolean;
          readonly isMount?: boolean;
          readonly remedy?: string;
      }
    | { readonly is: "succeeded"; readonly revision: string }
    | { readonly is: "failed"; readonly problem: Problem }
    | { readonly is: "not known"; readonly why: string };

/** Judges a Job from what the API server says of it. */
export function judgeJob(observation: JobObservation, target: JobTarget): JobVerdict {
    const { job } = observation;
    if (!job.known) {
        return { is: "not known", why: job.why };
    }
    if (job.value === undefined) {
        return { is: "not known", why: `${jobName(target)} is gone` };
    }
    const { uid, revision, suspended, generation, deleting, conditions } = job.value;
    if (uid !== target.jobUid) {
        return {
            is: "not known",
            why: `${jobName(target)} is another Job (uid ${uid}) than the one of this program (uid ${target.jobUid}), which is gone`,
        };
    }
    const condition = (type: string) => conditions.find((one) => one.type === type);
    const complete = condition("Complete");
    if (complete) {
        return { is: "succeeded", revision: job.value.revision };
    }
    const failed = condition("Failed");
    if (failed) {
        return { is: "failed", problem: failedJob(target, observation, failed) };
    }
    if (deleting) {
        return { is: "not known", why: `${jobName(target)} is being deleted, and has not ended` };
    }
    if (suspended) {
        // The gate starts a Job by a change of its spec. A suspended one that was changed before was stopped by a person.
        return generation !== 1
            ? { is: "at work", lacks: "somebody has suspended it (spec.suspend)" }
            : revision === target.revision
              ? { is: "waits for its start" }
              : { is: "failed", problem: outdatedJob(target) };
    }
    const { absentSecrets = [] } = observation;
    const missing = job.value.secrets.filter(({ name }) => absentSecrets.includes(name));
    const lacks = jobLacks(observation);
    const podIsStuck = isStuck(observation);
    if (missing.length > 0) {
        const names = missing.map(({ name }) => `Secret ${target.namespace}/${name}`).join(" and ");
        const remedy = `create ${howToCreate(target.namespace, missing).join("; ")}`;
        return {
            is: "at work",
            lacks: `${lacks}; it needs ${names}, which does not exist`,
            isStuck: true,
            ...(podIsStuck ? {} : { isMount: true }),
            remedy,
        };
    }
    return { is: "at work", lacks, ...(podIsStuck ? { isStuck: true } : {}) };
}
