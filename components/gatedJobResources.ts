import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { secretsOf } from "../provider/lifecycle/jobs/jobSecrets";
import { jobRevisionAnnotation } from "../topology/annotations";
import { restoreWord } from "../topology/backupPods";
import type { CleanInputs } from "../provider/gates/jobInputs";
import type { KubernetesOf } from "./besideCluster";
import { newGate, type Gate } from "./gates";
import { attemptName, defaultJobSeconds, type JobRunArgs } from "./jobRunArgs";
import { combine } from "./kubernetes/labels";
import type { KubernetesObject } from "./kubernetes/object";
import type { EnvironmentVariable, Volume } from "./kubernetes/pod";
import { skipAwait } from "./kubernetes/services";
import { stableDigest } from "./kubernetes/templateRevision";
import { createObject, type Planned, plannedPart } from "./objects";

/** A Job that runs once, as its component describes it. */
export interface GatedJob {
    /** The Job of the first attempt, as Kubernetes would run it at once. It must have a namespace. Its digest is that of its spec, unless it has one. */
    readonly job: Planned<KubernetesObject>;
    /** What it does, for messages: `initialize the cluster basic`. */
    readonly does: pulumi.Input<string>;
    readonly run: JobRunArgs;
    /** How its Job and its gate reach the Kubernetes cluster. */
    readonly kubernetes: KubernetesOf;
    /** The argument that counts the attempts, for messages. Default: `attempt`. */
    readonly attemptField?: string;
    /** What has its work done once more after it has succeeded, for messages. Default: another attempt. */
    readonly onceMore?: string;
    /** What deletes its data once it has left the program. Default: nothing. */
    readonly clean?: pulumi.Input<CleanInputs | undefined>;
    /** What to know before it runs. Empty: nothing. Default: nothing. */
    readonly caution?: pulumi.Input<string>;
    /** Why it must not begin. Empty: it may. Default: it may. */
    readonly refusal?: pulumi.Input<string>;
}

/** The resources of a Job that runs once. */
export interface GatedJobResources {
    readonly job: k8s.batch.v1.Job;
    /** Depend on this one to wait for the Job's success. */
    readonly gate: Gate;
}

/**
 * Creates a Job and the gate that starts it and waits for its end. The Job is created suspended, so nothing but its gate starts it. A change of the program
 * does not touch a Job that is there: another attempt is another resource, with another name. Between the two stands a record, so a Job that is made anew
 * before an update has seen the end of the first one does not do its work again.
 */
export function gatedJob(
    name: string,
    { job, does, run, kubernetes, attemptField = "attempt", onceMore, clean, caution, refusal }: GatedJob,
    opts: pulumi.CustomResourceOptions,
): GatedJobResources {
    const { attempt = 1, wait = true, timeoutSeconds = defaultJobSeconds } = run;
    const suspended = plannedPart(job, (object) => suspendedJob(object, run));
    const resource: k8s.batch.v1.Job = createObject(suspended, attemptName(name, run), {
        ...opts,
        ignoreChanges: ["metadata", "spec"],
    });
    const { namespace, name: jobName, uid: jobUid } = resource.metadata;
    const same = { namespace, job: jobName, jobUid };
    const afterJob = { ...opts, dependsOn: [resource] };
    const record = newGate("record", `${attemptName(name, run)}-record`, same, afterJob);
    const gate = newGate(
        "job",
        `${name}-gate`,
        {
            access: kubernetes.access,
            ...same,
            began: record.began,
            revision: suspended.content.apply(revisionOf),
            does,
            runs: job.content.apply(runsOf),
            secrets: job.content.apply(({ spec }) => secretsOf((spec as JobSpec).template.spec)),
            into: job.content.apply(restoredCluster),
            attempt,
            attemptField,
            ...(onceMore === undefined ? {} : { onceMore }),
            wait,
            timeoutSeconds,
            ...(clean === undefined ? {} : { clean }),
            ...(caution === undefined ? {} : { caution }),
            ...(refusal === undefined ? {} : { refusal }),
        },
        { ...opts, dependsOn: [resource, record] },
    );
    return { job: resource, gate };
}

/** @returns the Job of an attempt, as the Kubernetes provider creates it: suspended. */
function suspendedJob(object: KubernetesObject, run: JobRunArgs): KubernetesObject {
    const { metadata, spec, ...rest } = object;
    const name = attemptName(metadata.name, run);
    const annotations = combine(metadata.annotations ?? {}, skipAwait, { [jobRevisionAnnotation]: stableDigest(spec) });
    return { ...rest, metadata: { ...metadata, name, annotations }, spec: { ...spec, suspend: true } };
}

function revisionOf({ metadata }: KubernetesObject): string {
    return metadata.annotations?.[jobRevisionAnnotation] ?? "";
}

/** @returns BR's argument that names the cluster into which a Job restores. */
function restoredCluster({ spec }: KubernetesObject): string | undefined {
    const args = (spec as JobSpec).template.spec.containers.flatMap((container) => container.args ?? []);
    return args.includes(restoreWord) ? args.find((argument) => argument.startsWith("--pd=")) : undefined;
}

/** @returns what the containers of a Job run, in words. */
function runsOf({ spec }: KubernetesObject): string[] {
    const pod = (spec as JobSpec).template.spec;
    return [...(pod.initContainers ?? []), ...pod.containers].map(({ name, image = name }) => {
        const [repository] = /[^/:@]+(?=(:[^/]*)?$)/.exec(image.replace(/@.*/, "")) ?? [name];
        return `${{ br: "BR", tikv: "tikv-ctl" }[repository] ?? repository} (${image})`;
    });
}

interface JobSpec {
    template: { spec: { initContainers?: JobContainer[]; containers: JobContainer[]; volumes?: Volume[] } };
}

interface JobContainer {
    name: string;
    image?: string;
    args?: string[];
    env?: EnvironmentVariable[];
}
