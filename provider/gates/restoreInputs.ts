import type { BrClusterInputs, BrFindings } from "./brClusterInputs";

/** What the gate before a restore gets from the program. */
export interface RestoreProgramInputs extends BrClusterInputs {
    /** What the restore does: `restore s3://backups/full into the cluster db/basic`. */
    does: string;
    /** Name of the Job of this attempt, and its namespace. */
    job: string;
    jobNamespace: string;
    /** Which attempt of the restore it is: each is checked until its Job has begun. */
    attempt: number;
    /** Whether the program allows a cluster with data. */
    allowData: boolean;
    /** The argument with which it does, for messages. */
    allowField: string;
}

/** What `check` adds. */
export interface RestoreFindings extends BrFindings {
    /** Set once the Job of this attempt has succeeded. */
    restored?: true;
}
