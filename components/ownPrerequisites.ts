import { Namespace } from "@pulumi/kubernetes/core/v1";
import * as pulumi from "@pulumi/pulumi";
import { getAllResources } from "@pulumi/pulumi/output";
import type { NamespaceMaker } from "../provider/lifecycle/prerequisites/namespace";

/** What the program may create itself, before the cluster, of what the cluster needs. */
export interface OwnPrerequisites {
    namespaceMaker: NamespaceMaker;
    /** Whether the cluster depends on something that may be, or contain, a Role or a RoleBinding for the gates' user. */
    mayGrant: boolean;
}

/**
 * Finds out what the program may create before the cluster: its namespace, and permissions. A preview cannot see this:
 * `metadata.name` of a new Namespace is known there, like that of an existing one, and a Role does not exist yet. What the
 * cluster depends on shows it: the resources behind `metadata.namespace`, those in `dependsOn`, the parent, and an explicit
 * provider. Parent and provider may wait for a Namespace in ways that the cluster does not see, so they count as "maybe".
 *
 * A Namespace that the cluster depends on in none of these ways does not count, because Pulumi may create it after the
 * cluster's objects. That includes a cluster that is created inside `apply` of the Namespace's output: Pulumi does wait
 * there, but the new resource knows nothing of that output. The program then names the Namespace in `dependsOn`.
 */
export async function ownPrerequisites(
    namespace: pulumi.Input<string> | undefined,
    { dependsOn, parent, provider, providers = [] }: pulumi.ComponentResourceOptions,
): Promise<OwnPrerequisites> {
    const behind = pulumi.Output.isInstance(namespace) ? await getAllResources(namespace) : [];
    const named = dependsOn === undefined ? [] : Array.isArray(dependsOn) ? dependsOn : [dependsOn];
    const others = [parent, provider, ...Object.values(providers)].filter((one) => one !== undefined && !isStack(one));
    const resources: unknown[] = [...behind, ...named, ...others];
    const isNamespace = (resource: unknown) => Namespace.isInstance(resource);
    const mayBeMade = resources.length > 0 || namespace instanceof Promise;
    return {
        namespaceMaker: resources.some(isNamespace) ? "program" : mayBeMade ? "maybe" : "nobody",
        mayGrant: resources.some((resource) => !isNamespace(resource)) || namespace instanceof Promise,
    };
}

/** The stack is the parent of every resource without one, so it shows nothing. */
function isStack(resource: unknown): boolean {
    return (resource as { __pulumiType?: string }).__pulumiType === "pulumi:pulumi:Stack";
}
