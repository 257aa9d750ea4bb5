import type { BrClusterInputs, BrFindings } from "./brClusterInputs";

/** What the gate before a restore gets from the program. */
export interface RestoreProgramInputs extends BrClusterInputs {
    /** What the restore does: `restore s3://backups/full into the cluster db/basic`. */
    does: string;
    /** Which attempt of the restore it is: each is checked once. */
    attempt: number;
    /** Whether the program allows a cluster with data. */
    allowData: boolean;
    /** The argument with which it does, for messages. */
    allowField: string;
}

/** What `check` and the gate's work add. */
export type RestoreFindings = BrFindings;
