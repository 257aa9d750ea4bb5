import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { kubernetesOf } from "../besideCluster";
import { gatedJob } from "../gatedJobResources";
import type { Gate } from "../gates";
import { TidbCluster } from "../tidbCluster";
import type { CompactBackupArgs } from "./args";
import { brArgsFromYaml, type YamlCompactBackupArgs } from "./brFromYaml";
import { plannedBr } from "./plannedBr";

/**
 * A compaction of a log backup: a Job that runs `tikv-ctl` once, which writes sorted files beside the log, and a gate that starts it and
 * waits for its end. BR restores them faster than the log itself. A compaction that failed goes on where it was when `attempt` is raised. What
 * it has written outlives the resource.
 *
 * @throws ManifestError that lists every error in the arguments with its field.
 */
export class CompactBackup extends pulumi.ComponentResource {
    /** Where the log is: `s3://backups/log`. */
    readonly url: pulumi.Output<string>;
    /** The Job of this attempt. */
    readonly job: k8s.batch.v1.Job;
    /** Gate that starts the Job, waits for its end, and fails with its last words if it fails. */
    readonly gate: Gate;

    constructor(name: string, args: CompactBackupArgs, opts: pulumi.ComponentResourceOptions = {}) {
        super("tidb:index:CompactBackup", name, {}, opts);
        const { job, does, url } = plannedBr("CompactBackup", name, args);
        const cluster = args.cluster instanceof TidbCluster ? args.cluster : undefined;
        const kubernetes = kubernetesOf(this, args, cluster);
        const after = [opts.dependsOn ?? [], cluster ?? []].flat();
        const options = { parent: this, dependsOn: after as pulumi.Resource[] };
        ({ job: this.job, gate: this.gate } = gatedJob(name, { job, does, run: args, kubernetes }, options));
        this.url = pulumi.all([url, this.gate.id]).apply(([where]) => where);
        this.registerOutputs({ url: this.url });
    }

    /**
     * Creates a CompactBackup from a YAML manifest of tidb-operator. Objects of other kinds in the file are ignored.
     * @param path Path of the file, relative to the program's folder.
     * @throws ManifestError that names the file and the line or field, or says why the file cannot be read.
     */
    static fromYaml(
        name: string,
        path: string,
        args: YamlCompactBackupArgs,
        opts: pulumi.ComponentResourceOptions = {},
    ): CompactBackup {
        return new CompactBackup(name, brArgsFromYaml<CompactBackupArgs>("CompactBackup", path, args), opts);
    }
}
