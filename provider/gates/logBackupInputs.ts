import type { LogBackupTarget, LogStep } from "../lifecycle/logBackup/target";
import type { BrClusterInputs, BrFindings } from "./brClusterInputs";

/** What the gate of a log backup gets from the program. */
export interface LogBackupProgramInputs extends LogBackupTarget, BrClusterInputs {
    /** The Job of a step, whose container lacks the first arguments of BR. */
    job: LogBackupJob;
    /** The first arguments of BR for each step. */
    commands: Record<LogStep, string[]>;
    /** Digest of the Job and the commands. */
    digest: string;
    timeoutSeconds: number;
    /** What to know before it starts. Only for the preview. Default: nothing. */
    caution?: string;
    /** Why it must not start, as the program alone tells. Default: it may. */
    refusal?: string;
}

/** The Job of a log backup's steps, as Kubernetes takes it. */
export interface LogBackupJob {
    metadata: { name: string; namespace: string; annotations?: Record<string, string> };
    spec: { template: { spec: { containers: { args: string[] }[] } } };
}

/** What `check` adds. */
export type LogBackupFindings = BrFindings;
