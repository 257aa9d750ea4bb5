import { backsUpAnnotation } from "../../../topology/annotations";
import { componentLabel, scheduleLabel } from "../../../topology/labels";
import { memberName } from "../../../topology/names";
import { ports } from "../../../topology/ports";
import { goDurationSeconds } from "../../../topology/goDuration";
import { combine } from "../../kubernetes/labels";
import type { KubernetesObject } from "../../kubernetes/object";
import type { Container, KubernetesFields } from "../../kubernetes/pod";
import { present } from "../../kubernetes/present";
import { inKubernetes } from "../../kubernetes/shellQuote";
import { ManifestError } from "../../problem";
import type { BrCluster } from "../brCluster";
import { sourceOf } from "../checkBr";
import { inFolder } from "../inFolder";
import { renderBr } from "../renderBr";
import { withRunVolume } from "../runVolume";
import type { BackupManifest } from "../spec";
import { storageOf } from "../storages";
import { backupOf, withinTemplate } from "./checkSchedule";
import { optionProblems, type ScheduleOptions } from "./options";
import { rcloneContainer } from "./rclone";
import { backupScript, retentionScript } from "./retentionScript";
import { cronJobName } from "./rules";
import type { BackupScheduleManifest, BackupScheduleSpec } from "./spec";

/** What becomes of a BackupSchedule. */
export interface RenderedSchedule {
    readonly cronJob: KubernetesObject;
    /** Where the folders of the backups are, without secrets. */
    readonly url: string;
}

/** Stands for the name of a run's folder until the run knows it. */
const anyRun = "PULUMI-TIDB-RUN";

/** tidb-operator's value of the component's label (pkg/apis/label/label.go). */
const scheduleWord = "backup-schedule";

/**
 * Checks a BackupSchedule against its cluster, and renders it: a CronJob whose Jobs run BR, and after a success rclone, which deletes
 * old backups. Each run has a folder of its own: tidb-operator's name of it, with the schedule's name in it, so that two schedules in
 * one prefix do not delete each other's backups.
 *
 * @param manifest one that was checked by itself.
 * @throws ManifestError that lists every error.
 */
export function renderSchedule(
    manifest: BackupScheduleManifest,
    cluster: BrCluster,
    options: ScheduleOptions = {},
): RenderedSchedule {
    const { metadata, spec } = manifest;
    const problems = optionProblems(options);
    if (problems.length > 0) {
        throw new ManifestError(problems, sourceOf("BackupSchedule", manifest));
    }
    const backup = backupOf(manifest);
    const rendered = withinTemplate(manifest, () => renderBr("Backup", inFolder(backup, anyRun), cluster));
    const { template } = rendered.job.spec as { template: PodTemplate };
    const own = `${memberName(cluster.name, "pd")}.${cluster.namespace}-${ports.pd.client}-${metadata.name}-`;
    const isWord = { [componentLabel]: scheduleWord, [scheduleLabel]: metadata.name };
    const { labels, namespace, annotations } = rendered.job.metadata;
    return {
        url: storageOf(backup.spec).url,
        cronJob: {
            apiVersion: "batch/v1",
            kind: "CronJob",
            metadata: {
                name: cronJobName(metadata.name),
                namespace,
                labels: combine(isWord, labels),
                annotations: combine({ [backsUpAnnotation]: `${cluster.namespace}/${cluster.name}` }, annotations),
            },
            spec: {
                schedule: spec.schedule,
                timeZone: options.timeZone ?? "Etc/UTC",
                suspend: spec.pause ?? false,
                concurrencyPolicy: "Forbid",
                ...present({ startingDeadlineSeconds: options.startingDeadlineSeconds }),
                jobTemplate: {
                    metadata: {
                        labels: combine({ [scheduleLabel]: metadata.name }, labels),
                        ...present({ annotations }),
                    },
                    spec: {
                        backoffLimit: 0,
                        template: {
                            metadata: {
                                ...template.metadata,
                                labels: combine({ [scheduleLabel]: metadata.name }, template.metadata.labels),
                            },
                            spec: podOf(template.spec, backup, own, limitOf(spec), options),
                        },
                    },
                },
            },
        },
    };
}

interface PodTemplate {
    metadata: { labels: Record<string, string> };
    spec: KubernetesFields & { containers: [Container & { args: string[] }] };
}

/** How long backups are kept: by their number or their age in seconds. */
interface Limit {
    readonly by: "count" | "seconds";
    readonly limit: number;
}

function limitOf({ maxBackups, maxReservedTime }: BackupScheduleSpec): Limit | undefined {
    if (maxReservedTime !== undefined) {
        return { by: "seconds", limit: Math.floor(goDurationSeconds(maxReservedTime) ?? 0) };
    }
    return maxBackups ? { by: "count", limit: maxBackups } : undefined;
}

function podOf(
    pod: PodTemplate["spec"],
    backup: BackupManifest,
    own: string,
    limit: Limit | undefined,
    options: ScheduleOptions,
): KubernetesFields {
    const [br] = pod.containers;
    const storage = br.args.findIndex((argument) => argument.includes(anyRun));
    const [before, after] = br.args[storage].replace("--storage=", "").split(anyRun);
    const args = br.args.filter((_, index) => index !== storage);
    const first = {
        ...br,
        command: ["/bin/sh", "-c"],
        args: [inKubernetes(backupScript(own, limit !== undefined)), "br", before, after, ...args],
    };
    if (limit === undefined) {
        return { ...pod, containers: [first] };
    }
    const shared = withRunVolume({ ...pod, containers: [first] as [typeof first] });
    const [backupRun] = shared.containers;
    const retention = rcloneContainer(backupRun, backup.spec, "retention", retentionScript, options.retentionImage);
    retention.args.push(own, limit.by, String(limit.limit));
    return { ...shared, initContainers: [backupRun], containers: [retention] };
}
