import type { ClusterAccess } from "../cluster/access";

/** What every gate of a backup or restore gets from the program: which gate it is, and how its cluster is found. */
export interface BrClusterInputs {
    /** Which gate it is: `restore`, `logBackup`. */
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
    /** Whether this is a preview, which reports the plan. `check` takes it out of the inputs. Default: false. */
    isPreview?: boolean;
    /** The gate's own URN, for status messages on its line in Pulumi's display. */
    statusUrn: string;
}

/** What `check` adds. */
export interface BrFindings {
    /** The steps, in words. Empty if there is nothing to do. */
    plan: string[];
    /** Why there is no exact plan; empty if there is one. */
    deferred: string;
}
