import type { ClusterAccess } from "../cluster/access";

/** What the gate before a restore gets from the program. */
export interface RestoreProgramInputs {
    /** Which gate it is: `restore`. */
    gate: string;
    access: ClusterAccess;
    /** Namespace of the cluster. */
    namespace: string;
    cluster: string;
    /** Value of the label `app.kubernetes.io/instance` on its objects. */
    instance: string;
    /** Domain after its pods' host names. Default: none. */
    domain?: string;
    /** Whether its members use TLS. */
    tls: boolean;
    /** What the restore does: `restore s3://backups/full into the cluster db/basic`. */
    does: string;
    /** Which attempt of the restore it is: each is checked once. */
    attempt: number;
    /** Whether the program allows a cluster with data. */
    allowData: boolean;
    /** The argument with which it does, for messages. */
    allowField: string;
    /** Whether this is a preview, which reports the plan. `check` takes it out of the inputs. Default: false. */
    isPreview?: boolean;
    /** The gate's own URN, for status messages on its line in Pulumi's display. */
    statusUrn: string;
}

/** What `check` and the gate's work add. */
export interface RestoreFindings {
    /** The steps, in words. Empty if there is nothing to do. */
    plan: string[];
    /** Why there is no exact plan; empty if there is one. */
    deferred: string;
}
