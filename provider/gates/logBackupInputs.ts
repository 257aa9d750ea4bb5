import type { ClusterAccess } from "../cluster/access";
import type { LogBackupTarget, LogStep } from "../lifecycle/logBackup/target";

/** What the gate of a log backup gets from the program. */
export interface LogBackupProgramInputs extends LogBackupTarget {
    /** Which gate it is: `logBackup`. */
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
    /** The Job of a step, whose container lacks the first arguments of BR. */
    job: LogBackupJob;
    /** The first arguments of BR for each step. */
    commands: Record<LogStep, string[]>;
    /** Digest of the Job and the commands. */
    digest: string;
    timeoutSeconds: number;
    /** Whether this is a preview, which reports the plan. `check` takes it out of the inputs. Default: false. */
    isPreview?: boolean;
    /** The gate's own URN, for status messages on its line in Pulumi's display. */
    statusUrn: string;
}

/** The Job of a log backup's steps, as Kubernetes takes it. */
export interface LogBackupJob {
    metadata: { name: string; namespace: string; annotations?: Record<string, string> };
    spec: { template: { spec: { containers: { args: string[] }[] } } };
}

/** What `check` adds. */
export interface LogBackupFindings {
    /** The steps, in words. Empty if there is nothing to do. */
    plan: string[];
    /** Why there is no exact plan; empty if there is one. */
    deferred: string;
}
