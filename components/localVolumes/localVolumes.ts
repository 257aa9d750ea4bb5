import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { createObject } from "../objects";
import { ManifestError } from "../problem";
import { localVolumesManifests } from "./manifests";
import { localVolumesProblems } from "./rules";
import type { LocalVolumesArgs } from "./spec";

/**
 * Local disks as volumes: the local static provisioner of Kubernetes' storage group, which makes one PersistentVolume for each disk
 * that it finds on a node and cleans it once it is released, and storage classes that bind a claim on the node of its pod.
 *
 * @throws ManifestError that lists every error in the arguments with its field.
 */
export class LocalVolumes extends pulumi.ComponentResource {
    /** Names of the storage classes, for `storageClassName`: known once the classes exist. */
    readonly classNames: pulumi.Output<string[]>;
    /** The DaemonSet of the provisioner. */
    readonly daemonSet: k8s.apps.v1.DaemonSet;

    constructor(name: string, args: LocalVolumesArgs, opts: pulumi.ComponentResourceOptions = {}) {
        super("tidb:index:LocalVolumes", name, {}, opts);
        const objectName = args.metadata?.name ?? name;
        const problems = localVolumesProblems(args, objectName);
        if (problems.length > 0) {
            throw new ManifestError(problems, `LocalVolumes ${objectName}`);
        }
        const created: pulumi.CustomResource[] = [];
        for (const object of localVolumesManifests(objectName, args)) {
            const resource = createObject(
                { outline: object, content: pulumi.output(object) },
                object.kind === "StorageClass" ? `${name}-${object.metadata.name}` : name,
                // The provisioner starts once it may do its work.
                { parent: this, dependsOn: object.kind === "DaemonSet" ? [...created] : [] },
            );
            created.push(resource);
        }
        this.daemonSet = created[created.length - 1] as k8s.apps.v1.DaemonSet;
        this.classNames = pulumi.all(created.map(({ urn }) => urn)).apply(() => args.classes.map((one) => one.name));
        this.registerOutputs({ classNames: this.classNames });
    }
}
