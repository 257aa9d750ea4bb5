import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { JobSecret } from "../../provider/lifecycle/jobs/observedJob";
import { secretsOf } from "../../provider/lifecycle/jobs/jobSecrets";
import { kubernetesOf } from "../besideCluster";
import { checkSchedule } from "../br/schedule/checkSchedule";
import { newGate } from "../gates";
import type { KubernetesObject } from "../kubernetes/object";
import { manifestText } from "../manifestText";
import { members } from "../members";
import { createObject } from "../objects";
import type { TidbClusterManifest } from "../spec";
import { isSuspended } from "../suspension";
import { TidbCluster } from "../tidbCluster";
import { warnedPlaceClaim } from "./backupPlaces";
import { documentOfText } from "./brFile";
import { plannedSchedule } from "./plannedSchedule";
import type { BackupScheduleArgs, YamlBackupScheduleArgs } from "./scheduleArgs";

/**
 * Backups of a cluster by a schedule: a CronJob of Kubernetes, which runs BR whether or not anything else of this package runs. After
 * each backup that succeeded, the Job deletes older ones, as `maxBackups` or `maxReservedTime` says. The stored data outlive the resource.
 *
 * @throws ManifestError that lists every error in the arguments with its field.
 */
export class BackupSchedule extends pulumi.ComponentResource {
    /** Where the backups are, each in a folder of its own: `s3://backups/nightly`. */
    readonly url: pulumi.Output<string>;
    /** The CronJob that runs the backups. */
    readonly cronJob: k8s.batch.v1.CronJob;

    constructor(name: string, args: BackupScheduleArgs, opts: pulumi.ComponentResourceOptions = {}) {
        super("tidb:index:BackupSchedule", name, {}, opts);
        const { cronJob, url } = plannedSchedule(name, args, warnedPlaceClaim(this));
        const cluster = args.cluster instanceof TidbCluster ? args.cluster : undefined;
        const after = [opts.dependsOn ?? [], cluster ?? []].flat();
        const options = { parent: this, dependsOn: after as pulumi.Resource[] };
        const { access } = kubernetesOf(this, args, cluster);
        this.cronJob = createObject(cronJob, name, options);
        const { content } = cronJob;
        if (cluster) {
            warnOfSuspension(this, content, cluster);
        }
        newGate(
            "schedule",
            `${name}-gate`,
            {
                access,
                namespace: content.apply(({ metadata }) => metadata.namespace ?? ""),
                job: content.apply(({ metadata }) => `${metadata.name}-…`),
                secrets: content.apply(secretsOfRuns),
            },
            options,
        );
        this.url = url;
        this.registerOutputs({ url });
    }

    /**
     * Creates a BackupSchedule from a YAML manifest of tidb-operator. Objects of other kinds in the file are ignored.
     * @param path Path of the file, relative to the program's folder.
     * @throws ManifestError that names the file and the line or field, or says why the file cannot be read.
     */
    static fromYaml(
        name: string,
        path: string,
        { only, ...args }: YamlBackupScheduleArgs,
        opts: pulumi.ComponentResourceOptions = {},
    ): BackupSchedule {
        const found = documentOfText("BackupSchedule", manifestText(path), path, only);
        const { metadata, spec } = checkSchedule(found);
        return new BackupSchedule(name, { ...args, metadata, spec } as BackupScheduleArgs, opts);
    }
}

/** BR needs PD and TiKV. Nothing but the program tells the schedule that they are away. */
function warnOfSuspension(
    schedule: pulumi.Resource,
    cronJob: pulumi.Output<KubernetesObject>,
    { manifests }: TidbCluster,
): void {
    pulumi.all([cronJob, manifests.content]).apply(([{ spec }, manifest]) => {
        const cluster = (manifest as TidbClusterManifest).spec;
        const isAway = isSuspended(cluster, members.pd) || isSuspended(cluster, members.tikv);
        if (isAway && !(spec as { suspend: boolean }).suspend) {
            void pulumi.log.warn(
                "spec.pause: found false, expected true while PD or TiKV is suspended: each run fails",
                schedule,
            );
        }
    });
}

/** @returns the Secrets without which no Job of a schedule begins. A paused one begins none. */
function secretsOfRuns({ spec }: KubernetesObject): JobSecret[] {
    const { suspend, jobTemplate } = spec as {
        suspend: boolean;
        jobTemplate: { spec: { template: { spec: Parameters<typeof secretsOf>[0] } } };
    };
    return suspend ? [] : secretsOf(jobTemplate.spec.template.spec);
}
