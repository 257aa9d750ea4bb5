import type { ClusterAccess } from "../cluster/access";
import type { JobSecret } from "../lifecycle/jobs/observedJob";
import type { JobDone } from "../lifecycle/jobs/planJob";

/** What the gate of a Job gets from the program. The same Job keeps its namespace and name; another attempt has another name. */
export interface JobProgramInputs {
    /** Which gate it is: `job`. */
    gate: string;
    access: ClusterAccess;
    namespace: string;
    /** Name of the Job. */
    job: string;
    /** UID of the Job as the Kubernetes provider created it. Unknown before that. */
    jobUid: string;
    /** UID of the Job that may have begun first in this attempt, as its record has it. Default: none is on record. */
    began?: string;
    /** Digest of the Job that the program describes. */
    revision: string;
    /** What the Job does: `initialize the cluster basic`. */
    does: string;
    /** What its containers run, in words. Only for the preview. */
    runs: string[];
    /** The Secrets without which its pod does not start. Only for the preview. Default: none is known. */
    secrets?: JobSecret[];
    /** What to know before it runs. Only for the preview. Default: nothing. */
    caution?: string;
    /** Why it must not begin, as the program alone tells. Default: it may. */
    refusal?: string;
    /** Which attempt it is: 1 for the first. */
    attempt: number;
    /** The argument that counts the attempts, for messages. */
    attemptField: string;
    /** What has the work done once more after it has succeeded, for messages. Default: raising `attemptField`. */
    onceMore?: string;
    /** BR's argument that names the cluster into which it restores. Default: it restores into none. */
    into?: string;
    /** Whether the update waits for the end of the Job. */
    wait: boolean;
    timeoutSeconds: number;
    /** What deletes its data once it has left the program. Default: nothing. */
    clean?: CleanInputs;
    /** Whether this is a preview, which reports the plan. `check` takes it out of the inputs. Default: false. */
    isPreview?: boolean;
    /** The gate's own URN, for status messages on its line in Pulumi's display. */
    statusUrn: string;
}

/** What the record of a Job gets from the program. */
export type JobRecordInputs = Pick<
    JobProgramInputs,
    "gate" | "namespace" | "job" | "jobUid" | "isPreview" | "statusUrn"
>;

/** What the gate of a BackupSchedule gets from the program. `job` names its Jobs, for messages. */
export type ScheduleProgramInputs = Pick<
    JobProgramInputs,
    "gate" | "access" | "namespace" | "job" | "secrets" | "isPreview" | "statusUrn"
>;

/** What deletes the data of a Backup with a `cleanPolicy`. */
export interface CleanInputs {
    /** Name of the Backup. */
    backup: string;
    /** Where the data are, without secrets. */
    url: string;
    /** The cluster whose gates delete them, in the namespace of the Job. */
    cluster: string;
    leaseUid: string;
    /** The arguments of BR that prove that its Job wrote to the storage of `job`. */
    storage: string[];
    /** Whether only data of a backup that failed are deleted. Default: only those of one that succeeded. */
    onFailure?: true;
    /** The Job, without the arguments that only the end of the backup tells. */
    job: CleanJob;
}

/** The Job that deletes the data of a Backup, as Kubernetes takes it. */
export interface CleanJob {
    metadata: {
        name: string;
        namespace?: string;
        labels?: Record<string, string>;
        annotations?: Record<string, string>;
        ownerReferences?: object[];
    };
    spec: {
        suspend?: boolean;
        template: {
            metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
            spec: { containers: { image?: string; args?: string[] }[] };
        };
    };
}

/** What `check` adds. */
export interface JobFindings {
    /** The steps, in words. Empty if there is nothing to do. */
    plan: string[];
    /** Why there is no exact plan; empty if there is one. */
    deferred: string;
    /** Set once the Job has succeeded: its work is never done a second time. */
    done?: JobDone;
}
