import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { kubernetesOf } from "../besideCluster";
import { gatedJob } from "../gatedJobResources";
import type { Gate } from "../gates";
import { attemptName } from "../jobRunArgs";
import { createObject, type Planned, plannedPart } from "../objects";
import { ManifestError, type SpecProblem } from "../problem";
import { initializerManifests, type InitializerManifest, type InitializerObjects, sqlAccess } from "./manifests";
import { initializerProblems } from "./rules";
import type { TidbInitializerArgs, YamlInitializerArgs } from "./args";
import { initializerOf } from "./yamlInitializer";

/**
 * Initializes a cluster once: sets passwords, runs SQL statements, and restricts the hosts from which root may connect. A Job does it, with the program
 * of a ConfigMap. `pulumi up` waits for it, and fails with its last words if it fails. It is never done a second time unless `attempt` is raised.
 *
 * @throws ManifestError that lists every error in the arguments with its field.
 */
export class TidbInitializer extends pulumi.ComponentResource {
    /** The Job of the attempt. */
    readonly job: k8s.batch.v1.Job;
    /** The gate that starts the Job and waits for its end: depend on it, or on the component, to run after the initialization. */
    readonly gate: Gate;
    /** The ConfigMap with the Job's program, and with `spec.initSql`. */
    readonly configMap: k8s.core.v1.ConfigMap;

    constructor(name: string, args: TidbInitializerArgs, opts: pulumi.ComponentResourceOptions = {}) {
        super("tidb:index:TidbInitializer", name, {}, opts);
        const objectName = args.metadata?.name ?? name;
        const { tidbCluster } = args;
        const clusters = tidbCluster?.manifests;
        const refuse = (problems: SpecProblem[]): void => {
            if (problems.some(({ severity }) => severity === "error")) {
                throw new ManifestError(problems, `TidbInitializer ${objectName}`);
            }
        };
        const found = initializerProblems(args, objectName, clusters?.outline);
        refuse(found);
        found.forEach(({ message }) => void pulumi.log.warn(message, this));
        const plan = (given: Given, cluster: TidbClusterOf): InitializerObjects => {
            const manifest = manifestOf(objectName, given, cluster);
            return initializerManifests(manifest, sqlAccess(cluster, manifest), args);
        };
        const { metadata, spec } = args;
        const objects: Planned<InitializerObjects> = {
            // Its values may be Outputs: the outline says only which objects and fields there are.
            outline: plan({ metadata, spec } as Given, clusters?.outline),
            content: pulumi.all([pulumi.output({ metadata, spec }), clusters?.content]).apply(([given, cluster]) => {
                refuse(initializerProblems({ ...args, ...given }, objectName, cluster as TidbClusterOf));
                return plan(given as Given, cluster as TidbClusterOf);
            }) as pulumi.Output<InitializerObjects>,
        };
        const kubernetes = kubernetesOf(this, args, tidbCluster);
        this.configMap = createObject(
            plannedPart(objects, ({ configMap }) => configMap),
            attemptName(name, args),
            // What a Job runs stays what it was when the Job was created.
            {
                parent: this,
                ignoreChanges: ["metadata", "data"],
                dependsOn: opts.dependsOn,
            },
        );
        const { job, gate } = gatedJob(
            name,
            {
                job: plannedPart(objects, (all) => all.job),
                does: `initialize TidbCluster ${args.spec.cluster?.name ?? clusters?.outline.metadata.name}`,
                run: args,
                kubernetes,
            },
            { parent: this, dependsOn: [this.configMap, ...(tidbCluster === undefined ? [] : [tidbCluster])] },
        );
        this.job = job;
        this.gate = gate;
        this.registerOutputs({});
    }

    /**
     * Creates a TidbInitializer from a YAML manifest of tidb-operator. Objects of other kinds in the file are not read.
     * @param path Path of the file, relative to the program's folder.
     * @throws ManifestError that names the file and the field, or says why the file cannot be read.
     */
    static fromYaml(
        name: string,
        path: string,
        args: YamlInitializerArgs = {},
        opts: pulumi.ComponentResourceOptions = {},
    ): TidbInitializer {
        const { only, ...others } = args;
        const { metadata, spec } = initializerOf(path, only);
        const named = { ...metadata, name: metadata.name ?? name };
        return new TidbInitializer(name, { ...others, metadata: named, spec }, opts);
    }
}

type TidbClusterOf = Parameters<typeof sqlAccess>[0];
type Given = Pick<InitializerManifest, "spec"> & { metadata?: Partial<InitializerManifest["metadata"]> };

function manifestOf(name: string, { metadata = {}, spec }: Given, cluster: TidbClusterOf): InitializerManifest {
    const namespace = metadata.namespace ?? cluster?.metadata.namespace ?? "default";
    const ref = (spec.cluster as { name: string } | undefined) ?? { name: cluster?.metadata.name ?? "" };
    return { metadata: { ...metadata, name, namespace }, spec: { ...spec, cluster: ref } };
}
