import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { RestoreArgs } from "./args";
import { kubernetesOf } from "../besideCluster";
import { gatedJob } from "../gatedJobResources";
import { attemptName } from "../jobRunArgs";
import { newGate, type Gate } from "../gates";
import { TidbCluster } from "../tidbCluster";
import { brArgsFromYaml, type YamlRestoreArgs } from "./brFromYaml";
import { clusterInputs } from "./clusterInputs";
import { plannedBr } from "./plannedBr";

/**
 * A restore of a backup into a cluster by BR, or with `to` of a dump by TiDB Lightning: a gate that refuses a cluster with data, a Job that runs it once, and a gate that starts
 * it and waits for its end. A restore that failed is done again only when `attempt` is raised. When the resource leaves the program,
 * the restored data stay.
 *
 * @throws ManifestError that lists every error in the arguments with its field.
 */
export class Restore extends pulumi.ComponentResource {
    /** Gate that asks TiDB whether the cluster holds data, until the Job of the attempt has begun. */
    readonly restoreGate: Gate;
    /** The Job of this attempt. */
    readonly job: k8s.batch.v1.Job;
    /** Gate that starts the Job, waits for its end, and fails with BR's last words if it fails. Resources that need the data depend on it. */
    readonly gate: Gate;

    constructor(name: string, args: RestoreArgs, opts: pulumi.ComponentResourceOptions = {}) {
        super("tidb:index:Restore", name, {}, opts);
        const cluster = args.cluster instanceof TidbCluster ? args.cluster : undefined;
        const kubernetes = kubernetesOf(this, args, cluster);
        const planned = plannedBr("Restore", name, args, kubernetes.provider);
        const { does, job } = planned;
        const after = [opts.dependsOn ?? [], cluster ?? []].flat();
        this.restoreGate = newGate(
            "restore",
            `${name}-restore`,
            {
                ...clusterInputs(planned, kubernetes),
                does,
                job: job.content.apply(({ metadata }) => attemptName(metadata.name, args)),
                jobNamespace: job.content.apply(({ metadata }) => metadata.namespace as string),
                attempt: args.attempt ?? 1,
                allowData: args.allowExistingData ?? false,
                allowField: "allowExistingData",
            },
            { parent: this, dependsOn: after as pulumi.Resource[] },
        );
        const made = gatedJob(
            name,
            { job, does, run: args, kubernetes, refusal: planned.refusal(this.urn) },
            { parent: this, dependsOn: [this.restoreGate] },
        );
        this.job = made.job;
        this.gate = made.gate;
        this.registerOutputs({});
    }

    /**
     * Creates a Restore from a YAML manifest of tidb-operator. Objects of other kinds in the file are ignored.
     * @param path Path of the file, relative to the program's folder.
     * @throws ManifestError that names the file and the line or field, or says why the file cannot be read.
     */
    static fromYaml(
        name: string,
        path: string,
        args: YamlRestoreArgs,
        opts: pulumi.ComponentResourceOptions = {},
    ): Restore {
        return new Restore(name, brArgsFromYaml<RestoreArgs>("Restore", path, args), opts);
    }
}
