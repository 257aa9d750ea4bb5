import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { BackupArgs } from "./args";
import { kubernetesOf } from "../besideCluster";
import { gatedJob } from "../gatedJobResources";
import type { Gate } from "../gates";
import { logBackupGate } from "./logBackupGate";
import { TidbCluster } from "../tidbCluster";
import { cleanInputs } from "./cleanInputs";
import { brArgsFromYaml, type YamlBackupArgs } from "./brFromYaml";
import { plannedBr } from "./plannedBr";

/**
 * A backup of a cluster, a database or tables by BR: a Job that runs BR once, and a gate that starts it and waits for its end. A
 * backup that failed is done again only when `attempt` is raised. The stored data outlive the resource, unless `cleanPolicy` is `Delete`: then the next update
 * of the cluster deletes them.
 *
 * With `from` or `dumpling` instead of `br`, a dump by Dumpling: SQL files.
 *
 * With `backupMode: log`, a log backup: its gate starts, pauses, resumes, stops and truncates it by Jobs of its own, as the program says and
 * as PD's word asks for.
 *
 * @throws ManifestError that lists every error in the arguments with its field.
 */
export class Backup extends pulumi.ComponentResource {
    /** Where the backup is: `s3://backups/full`. */
    readonly url: pulumi.Output<string>;
    /** Version of the cluster that is backed up, for `backupVersion` of a Restore: `v8.5.3`. That of a paused cluster is the deployed one. */
    readonly clusterVersion: pulumi.Output<string>;
    /** The Job of this attempt. Undefined for a log backup, whose gate creates the Jobs. */
    readonly job: k8s.batch.v1.Job | undefined;
    /** Gate that starts the Job, waits for its end, and fails with BR's last words if it fails. Resources that need the backup depend on it. */
    readonly gate: Gate;

    constructor(name: string, args: BackupArgs, opts: pulumi.ComponentResourceOptions = {}) {
        super("tidb:index:Backup", name, {}, opts);
        const cluster = args.cluster instanceof TidbCluster ? args.cluster : undefined;
        const kubernetes = kubernetesOf(this, args, cluster);
        const planned = plannedBr("Backup", name, args, kubernetes.provider);
        const after = [opts.dependsOn ?? [], cluster ?? []].flat();
        const options = { parent: this, dependsOn: after as pulumi.Resource[] };
        if (args.spec.backupMode === "log") {
            this.gate = logBackupGate(name, planned, args, kubernetes, options);
        } else {
            const clean = cluster && cleanInputs(planned, cluster, name, args);
            const { job, does, caution } = planned;
            const run = {
                job,
                does,
                run: args,
                kubernetes,
                onceMore: "make another Backup, with another prefix",
                clean,
                caution,
                refusal: planned.refusal(this.urn),
            };
            ({ job: this.job, gate: this.gate } = gatedJob(name, run, options));
        }
        const { gate } = this;
        this.url = pulumi.all([planned.url, gate.id]).apply(([url]) => url);
        this.clusterVersion = planned.cluster.apply(({ version }) => version ?? "");
        this.registerOutputs({ url: this.url, clusterVersion: this.clusterVersion });
    }

    /**
     * Creates a Backup from a YAML manifest of tidb-operator. Objects of other kinds in the file are ignored.
     * @param path Path of the file, relative to the program's folder.
     * @throws ManifestError that names the file and the line or field, or says why the file cannot be read.
     */
    static fromYaml(
        name: string,
        path: string,
        args: YamlBackupArgs,
        opts: pulumi.ComponentResourceOptions = {},
    ): Backup {
        return new Backup(name, brArgsFromYaml<BackupArgs>("Backup", path, args), opts);
    }
}
