import type { Fact } from "../vocabulary/evidence";

/** What the API server says of a Job of Kubernetes. */
export interface ObservedJob {
    readonly uid: string;
    /** Digest of what it was created from, from its annotation. Empty if it has none. */
    readonly revision: string;
    /** Counts the changes of its spec: 1 as long as nobody has changed it. */
    readonly generation: number;
    /** Whether its spec says that it must not run. */
    readonly suspended: boolean;
    /** Whether it is being deleted. */
    readonly deleting: boolean;
    /** How many of its pods run or wait to run. */
    readonly active: number;
    /** How many of its pods have failed. */
    readonly failed: number;
    /** The Secrets without which its pod does not start. */
    readonly secrets: readonly JobSecret[];
    /** URL of the storage that BR uses in it. Default: it does not say. */
    readonly storage?: string | undefined;
    /** The conditions that are `True`. */
    readonly conditions: readonly JobCondition[];
}

/** A Secret, or a ConfigMap, without which a pod does not start. */
export interface JobSecret {
    readonly name: string;
    /** Default: it is a Secret. */
    readonly kind?: "configMap";
    /** What kubectl makes it from, as far as the Job tells: `--from-literal=access_key=…`. */
    readonly from: readonly string[];
}

/** A condition of a Job: `Complete`, `Failed`, `Suspended`, … */
export interface JobCondition {
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    /** When it became `True`, as the API server says it. Empty if it does not. */
    readonly at: string;
}

/** A pod whose owner is the Job. */
export interface ObservedJobPod {
    readonly name: string;
    readonly phase: string;
    /** Why the pod itself failed: `Evicted: …`. Empty if Kubernetes does not say. */
    readonly reason: string;
    /** Why it has no node yet. Empty if it has one, or nobody has looked for one. */
    readonly unscheduled: string;
    /** When it was created, as the API server says it. */
    readonly createdAt: string;
    /** Init containers first, in the order of the pod. */
    readonly containers: readonly ObservedJobContainer[];
}

/** A container of such a pod, as its status says it. */
export interface ObservedJobContainer {
    readonly name: string;
    readonly state:
        | { readonly is: "waiting"; readonly reason: string; readonly message: string }
        | { readonly is: "running" }
        | { readonly is: "ended"; readonly exitCode: number; readonly reason: string; readonly message: string };
}

/** Everything that a decision about a Job may use. */
export interface JobObservation {
    /** In milliseconds of the run's own clock. */
    readonly now: number;
    /** `undefined` if the API server has no Job of that name. */
    readonly job: Fact<ObservedJob | undefined>;
    readonly pods: Fact<readonly ObservedJobPod[]>;
    /** The last lines of the container that `logOf` names. */
    readonly lastLines: Fact<readonly string[]>;
    /** The Secrets that it waits for and that do not exist. Default: none is known to be missing. */
    readonly absentSecrets?: readonly string[];
}

/** The Job that a gate waits for. */
export interface JobTarget {
    readonly namespace: string;
    readonly job: string;
    /** UID of the Job as the Kubernetes provider created it. Another Job of the same name is a foreign one. */
    readonly jobUid: string;
    /** Digest of the Job that the program describes now. */
    readonly revision: string;
    /** What the Job does: `initialize the cluster basic`. */
    readonly does: string;
    /** Which attempt it is: 1 for the first. */
    readonly attempt: number;
    /** The argument that counts the attempts, for messages: `attempt`. */
    readonly attemptField: string;
    /** What has its work done again, for messages. Default: raising `attemptField`. */
    readonly again?: string;
    /** What has it done once more after it has succeeded, for messages. Default: what has it done again. */
    readonly onceMore?: string;
    /** BR's argument that names the cluster into which it restores. Default: it restores into none. */
    readonly into?: string;
    /** For how many seconds an update waits for its end. */
    readonly timeoutSeconds: number;
    /** What waits for it again, for messages. Default: `pulumi up`. */
    readonly command?: string;
}

/** @returns the target in the words of the Job that is there: of one that an earlier version of the program made, the program does not tell what it does. */
export function asMade<T extends JobTarget>(target: T, { job }: Pick<JobObservation, "job">): T {
    const made = job.known ? job.value : undefined;
    return made === undefined || made.uid !== target.jobUid || made.revision === target.revision
        ? target
        : {
              ...target,
              does: `do what an earlier version of the program asked for${made.storage ? ` with ${made.storage}` : ""}`,
          };
}

/** @returns what to run again, for messages. */
export function commandOf({ command = "`pulumi up`" }: Pick<JobTarget, "command">): string {
    return command;
}

/** @returns the name of a Job in messages. */
export function jobName({ namespace, job }: Pick<JobTarget, "namespace" | "job">): string {
    return `Job ${namespace}/${job}`;
}

/** @returns the name of the Job of the first attempt, with which those of all others begin. */
export function firstAttempt({ job, attempt }: Pick<JobTarget, "job" | "attempt">): string {
    return attempt === 1 ? job : job.slice(0, -`-${attempt}`.length);
}

/** @returns the attempt after this one, whose Job does not exist yet. */
export function nextAttempt(target: JobTarget): JobTarget {
    const attempt = target.attempt + 1;
    return { ...target, attempt, job: `${firstAttempt(target)}-${attempt}`, jobUid: "" };
}
