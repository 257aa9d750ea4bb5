import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { getAllResources } from "@pulumi/pulumi/output";
import type { NamespaceMaker } from "../provider/lifecycle/prerequisites/namespace";

/**
 * Finds out whether the program may create the cluster's namespace. A preview cannot see this: `metadata.name` of a new
 * Namespace is known there, like that of an existing one. What the cluster depends on shows it: the resources behind
 * `metadata.namespace`, those in `dependsOn`, and the parent. A Namespace that the cluster depends on in none of these
 * ways does not count, because Pulumi may create it after the cluster's objects.
 */
export async function namespaceMaker(
    namespace: pulumi.Input<string> | undefined,
    { dependsOn, parent }: pulumi.ComponentResourceOptions,
): Promise<NamespaceMaker> {
    const behind = pulumi.Output.isInstance(namespace) ? await getAllResources(namespace) : [];
    const named = dependsOn === undefined ? [] : Array.isArray(dependsOn) ? dependsOn : [dependsOn];
    const owner = pulumi.CustomResource.isInstance(parent) ? [parent] : [];
    const resources: unknown[] = [...behind, ...named, ...owner];
    if (resources.some((resource) => k8s.core.v1.Namespace.isInstance(resource))) {
        return "program";
    }
    return resources.length > 0 || namespace instanceof Promise ? "maybe" : "nobody";
}
